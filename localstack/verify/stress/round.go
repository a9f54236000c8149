package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

// workers is the most calls that run at once.
const workers = 12

// round is a part of the run, with a table of its own. Requests of players and operators meet faults:
//
//	players ->  API -> functions -> permissions -> faults -> engine
//	operators -------------------------------------^         ^
//	checks and set-up ---------------------------------------^
type round struct {
	*search
	plan      *plan
	engine    *engine.Engine
	faults    *faults.Random
	stack     *stack.Stack
	operators operate.Desk // with the faults
	store     operate.Desk // without them
	keys      *token.Keys
	transport *client.Transport

	mu         sync.Mutex
	receipts   []receipt
	complaints []string // see complain
}

// playRound plays a round to its end, or to the first window with violations, which are its error then. The functions
// must have been built.
func (s *search) playRound(ctx context.Context, seed uint64, calls int) (err error) {
	r := &round{search: s, plan: newPlan(seed)}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.open(ctx, seed); err != nil {
		return err
	}
	now := game.InstantOf(time.Now())
	first := operate.NewChange("stress", "", now)
	r.record("create season", key("change", first.ID), done)
	err = r.store.Operator(first).CreateSeason(ctx, game.Season{
		ID: r.plan.season, Name: "Stress", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true,
	})
	for _, p := range r.plan.players {
		err = errors.Join(err, r.welcome(ctx, p))
	}
	for err == nil && r.plan.calls < calls {
		if err = r.playWindow(ctx, min(r.plan.calls+s.window, calls)); err == nil {
			err = r.check(ctx)
		}
	}
	return err
}

// secret is every player's password.
const secret = "the same for everybody"

var secretHash = sync.OnceValue(func() string { return password.Hash(secret) })

// welcome registers a player directly in the store, because hashing a password takes long, and the plan knows the ids.
func (r *round) welcome(ctx context.Context, p *player) error {
	now := game.InstantOf(time.Now())
	account := game.NewAccount(game.Registration{Email: p.email(), Username: p.name, RanchName: "Ranch of " + p.name}, now)
	account.ID = p.id
	session, err := r.keys.IssueSession(account.User, now)
	if err != nil {
		return err
	}
	animals := game.Starters(rand.New(rand.NewPCG(1, 0)), account.ID, account.Ranch.ID, now)
	for i := range animals {
		animals[i].ID = p.animals[i]
	}
	r.record("register", key("account", p.email()), done)
	return r.store.CreateAccount(ctx, account, secretHash(), animals, game.StarterEntry(account.ID, now), session.Record)
}

// playWindow makes calls up to the number to, with faults and kills. It returns when all calls have ended and the
// faults are off, and the function FinishPending has finished interrupted work of operators' changes.
func (r *round) playWindow(ctx context.Context, to int) error {
	_ = r.faults.Switch(ctx, true)
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for r.plan.calls < to && playing.Err() == nil {
		for _, s := range r.plan.shows() {
			_ = r.play(playing, s) // alone: the next calls are for this show
		}
		for _, s := range r.plan.next() {
			group.Go(func() error { return r.play(playing, s) })
		}
		if r.plan.IntN(40) == 0 {
			r.killFunction(r.plan.IntN)
		}
	}
	err := errors.Join(group.Wait(), r.faults.Switch(context.WithoutCancel(ctx), false))
	_, failure := r.stack.Invoke(ctx, "FinishPending", []byte("{}"))
	return errors.Join(err, failure)
}

// play makes a call, without retries.
func (r *round) play(ctx context.Context, s step) error {
	switch {
	case s.kind == judgeDue: // whatever it answers, due shows may have been judged
		_, _ = r.stack.Invoke(ctx, "JudgeDue", []byte("{}"))
	case s.kind.change != nil:
		r.operate(ctx, s)
	default:
		r.ask(ctx, s)
	}
	r.figures.add("calls", 1)
	return ctx.Err()
}

// ask makes a player's call, and keeps its receipt.
func (r *round) ask(ctx context.Context, s step) {
	f, _ := r.template.Function(s.kind.name)
	q := client.Request{Method: f.Method, Path: strings.Replace(f.Path, "{id}", string(s.show.id), 1), Body: s.body()}
	user := game.User{ID: s.player.id, Username: s.player.name, Email: s.player.email(), Status: game.UserActive}
	q.Token, _ = r.keys.IssueAccess(user, game.InstantOf(time.Now()))
	answer, err := r.transport.Send(ctx, q)
	outcome := unknown
	switch {
	case err == nil && answer.Status < 300:
		outcome = done
	case err == nil && answer.Status < 500:
		outcome = refused
	}
	r.figures.add(fmt.Sprint(s.kind.name, " ", answer.Status), 1)
	if made := s.makes(); made != "" {
		r.record(s.String(), made, outcome)
	}
}

// operate makes an operator's change, and keeps its receipt.
func (r *round) operate(ctx context.Context, s step) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	now := game.InstantOf(time.Now())
	made := operate.NewChange("operator", "stress", now)
	err := s.kind.change(change{s, ctx, r.operators.Operator(made), now})
	outcome := done
	switch {
	case errors.Is(err, operate.ErrUnclear) || err != nil && failed.MatchString(err.Error()):
		outcome = unknown
		r.complain(fmt.Sprint(s, ": ", err))
	case err != nil:
		outcome = refused
	case s.kind == cancelShow: // also if another call has cancelled the show
		outcome = unknown
	}
	r.figures.add(fmt.Sprint(s.kind.name, " ", outcome), 1)
	if s.kind != refund { // it has no record, but ledger rows
		r.record(s.String(), key("change", made.ID), outcome)
	}
}

func (s step) String() string {
	return fmt.Sprintf("%s, player %s, show %s", s.kind.name, s.player.id, s.show.id)
}

// failed matches the error of an operator's change that has failed. Other errors are refusals.
var failed = regexp.MustCompile(`operation error|the table has failed|context (canceled|deadline exceeded)`)

// unexplained matches lines of the functions' log, and errors, that no played fault explains: about panics, processes
// that ended by themselves, missing permissions, and requests that the engine should never have to refuse.
var unexplained = regexp.MustCompile(
	`panic: |exit status|at its start: signal|does not allow|AccessDenied|ValidationException|ParameterMismatch`)

// complain keeps a text if it is unexplained.
func (r *round) complain(text string) {
	if unexplained.MatchString(text) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.complaints = append(r.complaints, text)
	}
}
