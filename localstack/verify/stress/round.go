package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
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
	*world.World // its store is without the faults
	plan         *plan
	faults       *faults.Random
	operators    operate.Desk // with the faults

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
	first := operate.NewChange("stress", "", world.Now())
	r.record("create season", key("change", first.ID), done)
	err = r.Store.Operator(first).CreateSeason(ctx, game.Season{
		ID: r.plan.season, Name: "Stress", StartDate: first.At.Add(-time.Hour), EndDate: first.At.Add(24 * time.Hour), IsActive: true,
	})
	for _, p := range r.plan.players { // directly in the store: over HTTP, hashing a password takes long
		r.record("register", key("account", p.Email), done)
		_, failure := r.Register(ctx, *p, secretHash())
		err = errors.Join(err, failure)
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
	_, failure := r.Stack.Invoke(ctx, "FinishPending", []byte("{}"))
	return errors.Join(err, failure)
}

// play makes a call, without retries.
func (r *round) play(ctx context.Context, s step) error {
	switch {
	case s.kind == judgeDue: // whatever it answers, due shows may have been judged
		_, _ = r.Stack.Invoke(ctx, "JudgeDue", []byte("{}"))
	case s.kind.change != nil:
		r.operate(ctx, s)
	default:
		r.ask(ctx, s)
	}
	r.figures.add("calls", 1)
	return ctx.Err()
}

// patient waits longer than the gateway, which answers within 30 seconds.
var patient = http.Client{Timeout: 40 * time.Second}

// ask makes a player's call, and keeps its receipt.
func (r *round) ask(ctx context.Context, s step) {
	f, _ := r.template.Function(s.kind.name)
	q := client.Request{Method: f.Method, Path: strings.Replace(f.Path, "{id}", string(s.show.ID), 1), Body: s.body()}
	q.Token, _ = r.Keys.IssueAccess(s.player.User, world.Now())
	transport := client.Transport{API: r.API, HTTP: &patient}
	answer, err := transport.Send(ctx, q)
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
	made := operate.NewChange("operator", "stress", world.Now())
	err := s.kind.change(change{s, ctx, r.operators.Operator(made), made.At})
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
	return fmt.Sprintf("%s, player %s, show %s", s.kind.name, s.player.ID, s.show.ID)
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
