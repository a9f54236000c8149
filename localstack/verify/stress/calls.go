package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// secret is every player's password. It has two hashes, so that a reset can store another hash of the same password.
const secret = "the same for everybody"

var secretHashes = sync.OnceValue(func() [2]string { return [2]string{password.Hash(secret), password.Hash(secret)} })

// welcome registers a player directly in the store, without faults and functions, because hashing so many passwords in
// the functions would take all processor time. If the engine is restarting, welcome tries again for a minute.
func (r *round) welcome(ctx context.Context, p *player) error {
	now := game.InstantOf(time.Now())
	account := game.NewAccount(game.Registration{Email: p.email, Username: p.username, RanchName: "Ranch of " + p.username}, now)
	account.ID = p.id
	session, err := r.keys.IssueSession(account.User, now)
	if err != nil {
		return err
	}
	p.session.Store(&session.Refresh)
	animals := game.Starters(rand.New(rand.NewPCG(p.seed, 0)), account.ID, account.Ranch.ID, now)
	for i := range animals {
		animals[i].ID = p.animals[i]
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // until the engine answers
		err := r.store.CreateAccount(ctx, account, secretHashes()[0], animals, game.StarterEntry(account.ID, now), session.Record)
		if err == nil || errors.Is(err, game.ErrTaken) { // ErrTaken: by an earlier attempt whose answer was lost
			break
		}
		if ctx.Err() != nil || time.Since(began) > time.Minute {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.welcomed = append(r.welcomed, &logcheck.Record{
		Kind: logcheck.Register, Outcome: logcheck.Done, User: p.id, Paid: game.StartingGold,
		Began: game.InstantOf(r.began), Ended: after(time.Now()),
	})
	return nil
}

// ask returns the HTTP request of a player's call, and records the call's parameters in c.
func (r *round) ask(o operation, c *logcheck.Record) (q client.Request, err error) {
	function, found := r.template.Function(functions[o.kind])
	if !found {
		return q, fmt.Errorf("no player can %s", o.kind)
	}
	if strings.Contains(function.Path, "{id}") {
		c.Show = o.show.id
	}
	q.Method, q.Path = function.Method, strings.Replace(function.Path, "{id}", string(c.Show), 1)
	switch o.kind {
	case logcheck.Register:
		c.Answer.Username, c.Answer.Email = o.name, o.email
		q.Body = client.Registration{Email: o.email, Username: o.name, Password: secret, RanchName: "New ranch"}
		return q, nil
	case logcheck.Login:
		q.Body = map[string]string{"email": o.player.email, "password": secret}
		return q, nil
	case logcheck.Refresh, logcheck.Logout:
		held := *o.player.session.Load()
		c.Answer.Session, q.Body = token.Digest(held), map[string]string{"refreshToken": held}
		return q, nil
	case logcheck.List:
		c.Answer.Filter = []game.ShowStatus{game.ShowOpen, "", game.ShowCompleted, game.ShowCancelled}[o.draw%4]
		if o.draw%4 > 0 { // without a status, the service lists open shows
			q.Path += "?status=" + string(c.Answer.Filter)
		}
	case logcheck.Enter:
		c.Animal = o.player.animals[o.animal]
		q.Body = map[string]game.ID{"animalId": c.Animal}
	}
	q.Token, err = r.keys.IssueAccess(game.User{ID: o.player.id, Username: o.player.username, Email: o.player.email, Status: game.UserActive}, game.InstantOf(time.Now()))
	return q, err
}

// outcomeOf returns the outcome of a call by the HTTP status of its answer: done, refused or unknown.
func outcomeOf(status int) logcheck.Outcome {
	switch {
	case status >= 200 && status < 300:
		return logcheck.Done
	case status >= 400 && status < 500:
		return logcheck.Refused
	}
	return logcheck.Unknown
}

// play makes a player's call, without retries, and records it.
func (r *round) play(ctx context.Context, o operation) error {
	c := &logcheck.Record{Kind: o.kind, Judged: -1, Answer: &logcheck.Answer{N: o.n}}
	if o.player != nil {
		c.User = o.player.id
	}
	q, err := r.ask(o, c)
	if err != nil {
		return err
	}
	c.Began = game.InstantOf(time.Now())
	answer, err := r.transport.Send(ctx, q)
	c.Ended = after(time.Now())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Answer.Status, c.Request = answer.Status, answer.Header.Get("Apigw-Requestid")
	if err != nil {
		c.Answer.Status, c.Answer.Error = 0, err.Error()
	}
	if c.Outcome = outcomeOf(c.Answer.Status); c.Outcome == logcheck.Done {
		session, err := keep(c, answer.Body)
		if err != nil {
			return fmt.Errorf("%s was answered %.300q: %w", c.Kind, answer.Body, err)
		}
		if c.Kind == logcheck.Login {
			o.player.session.Store(&session)
		}
	} else {
		c.Refusal = refusalOf(answer.Body)
	}
	r.record(c)
	return nil
}

// refusalOf returns the code and the message of an error answer, as the functions log them. For the gateway's answers
// it is "".
func refusalOf(body []byte) string {
	var refusal struct {
		Error   game.Code
		Message string
	}
	if json.Unmarshal(body, &refusal) != nil || refusal.Error == "" {
		return ""
	}
	return (&game.Refusal{Code: refusal.Error, Message: refusal.Message}).Error()
}

// after returns the time one millisecond after t, at which a call that ended at t was certainly over.
func after(t time.Time) game.Instant { return game.InstantOf(t.Add(time.Millisecond)) }

// keep stores in c the parts of an answer that check compares with other calls and the table. It returns the answer's
// refresh token or "".
func keep(c *logcheck.Record, body []byte) (session string, err error) {
	type entry struct {
		Rank               int // 0 for null
		PlayerID, AnimalID game.ID
		Score              json.Number // "" for null
	}
	var a struct { // the members of all answers that are objects
		client.Tokens
		User                                             struct{ ID game.ID }
		EntryFee, GoldReward, GoldBalance, MySeasonScore int64
		Rank                                             int // 0 for null: unranked
		Status                                           game.ShowStatus
		TopThree, Entries                                []entry
	}
	switch c.Kind {
	case logcheck.List:
		var shows []struct {
			ID         game.ID
			Status     game.ShowStatus
			EntryCount int64
		}
		err = json.Unmarshal(body, &shows)
		for _, s := range shows {
			c.Answer.Listed = append(c.Answer.Listed, logcheck.Listed{ID: s.ID, Status: s.Status, Count: s.EntryCount})
		}
		return "", err
	case logcheck.Animals:
		var animals []client.Animal
		err = json.Unmarshal(body, &animals)
		c.Answer.Animals = map[game.ID][]logcheck.Flaw{}
		for _, animal := range animals {
			c.Answer.Animals[game.ID(animal.ID)] = logcheck.FlawsOf(animal.Stage, animal.Status, animal.DiedAt != nil)
		}
		return "", err
	}
	err = json.Unmarshal(body, &a)
	switch c.Kind {
	case logcheck.Register, logcheck.Login:
		c.Answer.Account, c.Answer.Session = a.User.ID, token.Digest(a.RefreshToken)
	case logcheck.Enter:
		c.Charged = a.EntryFee
	case logcheck.Claim:
		c.Paid, c.Answer.Rank = a.GoldReward, a.Rank
	case logcheck.Me:
		c.Answer.Gold = &a.GoldBalance
	case logcheck.Season:
		c.Answer.Score = a.MySeasonScore
	case logcheck.Judge, logcheck.Detail:
		c.Answer.State = a.Status
		for _, e := range slices.Concat(a.TopThree, a.Entries) {
			c.Answer.Placed = append(c.Answer.Placed, logcheck.Placed{Animal: e.AnimalID, Player: e.PlayerID, Rank: e.Rank, Score: string(e.Score)})
		}
	}
	return a.RefreshToken, err
}

const (
	// operatorPatience is the time limit of an operator's change: long enough for an engine to restart.
	operatorPatience = 20 * time.Second
	// runPatience is the time for which the round waits for a run of the scheduled function, which itself ends after a
	// minute (template.yaml). No run may go on while check compares the table.
	runPatience = 70 * time.Second
)

// operate makes an operator's call, or runs the scheduled function, with faults, and records the call.
func (r *round) operate(ctx context.Context, o operation) error {
	c := &logcheck.Record{Kind: o.kind, Judged: -1, Answer: &logcheck.Answer{N: o.n}}
	patience := operatorPatience
	if o.kind == logcheck.JudgeDue {
		patience = runPatience
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	now := game.InstantOf(time.Now())
	change := store.NewChange("operator", "stress", now)
	c.Answer.Change, c.Began = change.ID, now
	err := r.change(bounded, r.operators.Operator(change), o, c, now)
	c.Ended = after(time.Now())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Outcome = logcheck.Done
	if err != nil {
		c.Outcome, c.Answer.Error = logcheck.Refused, err.Error()
	}
	if i := slices.IndexFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) }); i >= 0 {
		c.Refusal = refusals[i].Error()
	}
	mayBeHalfDone := (o.kind == logcheck.Refund || o.kind == logcheck.SetUser) && err != nil && c.Refusal == ""
	// The answer to a scheduled run has no show, and a run can fail as a function does.
	if errors.Is(err, store.ErrUnclear) || mayBeHalfDone || o.kind == logcheck.JudgeDue {
		c.Outcome = logcheck.Unknown
	}
	r.record(c)
	return nil
}

// refusals are the errors that mean a refusal, not a failure, of an operator's change.
var refusals = []error{
	store.ErrUnknownShow, store.ErrNotOpen, store.ErrHasEntries, store.ErrSameTerms, store.ErrNotCancelled, game.ErrShowNotOpen,
}

// change makes the call, and records its parameters in c.
func (r *round) change(ctx context.Context, by store.Operator, o operation, c *logcheck.Record, now game.Instant) error {
	switch o.kind {
	case logcheck.CreateShow, logcheck.SetShow, logcheck.Cancel, logcheck.Refund, logcheck.JudgeShow:
		c.Show = o.show.id
	case logcheck.JudgeDue:
		c.Answer.Change = ""
		_, err := r.stack.Invoke(ctx, "JudgeDue", []byte("{}"))
		return err
	default:
		c.User = o.player.id
	}
	switch o.kind {
	case logcheck.CreateShow:
		show := game.Show{
			ID: c.Show, Name: fmt.Sprint("Show ", o.show.number), Tier: o.show.tier, EntryFee: o.show.fee,
			EntryClosesAt: now.Add(time.Hour), Status: game.ShowOpen, SeasonID: r.plan.season,
		}
		c.Answer.Terms = &store.ShowChange{Name: &show.Name, Tier: &show.Tier, EntryFee: &show.EntryFee, EntryClosesAt: &show.EntryClosesAt}
		return by.CreateShow(ctx, show, o.show.gates)
	case logcheck.SetShow:
		t := o.terms(now)
		c.Answer.Terms = &t
		return by.SetShow(ctx, c.Show, t)
	case logcheck.Cancel:
		return by.CancelShow(ctx, c.Show)
	case logcheck.Refund:
		c.Answer.Change = "" // it has no audit record, but ledger rows
		return by.Refund(ctx, c.Show, nil)
	case logcheck.JudgeShow:
		_, err := by.JudgeShow(ctx, c.Show)
		return err
	case logcheck.Ban:
		return by.Ban(ctx, c.User)
	case logcheck.Unban:
		return by.Unban(ctx, c.User)
	case logcheck.Revoke:
		return by.RevokeSessions(ctx, c.User)
	case logcheck.SetUser:
		c.Answer.Username = fmt.Sprint("renamed-", o.n)
		_, err := by.SetUser(ctx, c.User, store.UserChange{Username: &c.Answer.Username})
		return err
	case logcheck.ResetPassword:
		return by.ResetPassword(ctx, c.User, secretHashes()[o.draw%2])
	case logcheck.ChangeAnimal:
		c.Animal, c.Answer.Flaw = o.player.animals[o.animal], o.flaw()
		return by.ChangeAnimal(ctx, c.User, c.Animal, animalChange(c.Answer.Flaw, now))
	case logcheck.AdjustGold:
		return by.AdjustGold(ctx, c.User, 50+int64(o.draw%400), "stress")
	}
	return fmt.Errorf("no operator can %s", o.kind)
}

// terms returns new terms for a show: a closing time within half a second, a name, a fee, or a later closing time.
func (o operation) terms(now game.Instant) store.ShowChange {
	if o.closing {
		return store.ShowChange{EntryClosesAt: new(now.Add(time.Duration(o.draw%500) * time.Millisecond))}
	}
	switch o.draw % 4 {
	case 0:
		return store.ShowChange{Name: new(fmt.Sprintf("Show %d, renamed %d", o.show.number, o.n))}
	case 1: // refused if the show has an entry
		return store.ShowChange{EntryFee: new(int64(o.draw >> 8 % 100))}
	default:
		return store.ShowChange{EntryClosesAt: new(now.Add(time.Hour + time.Duration(o.draw>>8%1000)*time.Second))}
	}
}

// flaw returns the flaw that a change gives an animal. Half of the changes make the animal fit to enter shows again.
func (o operation) flaw() logcheck.Flaw {
	if n := int(o.draw % 6); n < len(logcheck.Flaws) {
		return logcheck.Flaws[n]
	}
	return logcheck.Fit
}

// animalChange returns the change that gives an animal a flaw, with which it cannot enter shows, or makes it fit again.
func animalChange(flaw logcheck.Flaw, now game.Instant) store.AnimalChange {
	switch flaw {
	case logcheck.Pregnant:
		return store.AnimalChange{Status: new(game.StatusPregnant)}
	case logcheck.Dead:
		return store.AnimalChange{DiedAt: &now}
	case logcheck.Calf:
		return store.AnimalChange{Stage: new(game.StageCalf)}
	}
	return store.AnimalChange{Status: new(game.StatusIdle), Stage: new(game.StageAdult), Alive: true}
}
