package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	// operatorPatience is how long an operator waits for a change: long enough for an engine to come back.
	operatorPatience = 20 * time.Second
	// runPatience is for a run of the scheduled function, which has a minute (template.yaml) and is waited for to its
	// end: nothing may be under way when the table is compared.
	runPatience = 70 * time.Second
)

// byOperator is who makes operators' changes, and judges shows.
const byOperator = "operator"

// operate makes an operator's call through the faults, as ranchctl does.
func (r *round) operate(ctx context.Context, o operation) error {
	c := &logcheck.Record{Kind: o.kind, Judged: -1, Answer: &logcheck.Answer{N: o.n}}
	patience := operatorPatience
	if o.kind == logcheck.JudgeDue {
		patience = runPatience
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	now := game.InstantOf(time.Now())
	change := store.NewChange(byOperator, "stress", now)
	by := r.stage.operators.Operator(change)
	c.Answer.Change = change.ID
	c.Began = game.InstantOf(time.Now())
	err := r.change(bounded, by, o, c, now)
	c.Ended = after(time.Now())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Outcome = logcheck.Done
	if err != nil {
		c.Outcome, c.Refusal, c.Answer.Error = logcheck.Refused, refusalIn(err), err.Error()
	}
	switch {
	case errors.Is(err, store.ErrUnclear):
		c.Outcome = logcheck.Unknown
	case o.kind == logcheck.JudgeDue: // it answers without any show, and fails as a function does
		c.Outcome = logcheck.Unknown
	case o.kind == logcheck.Refund && err != nil && c.Refusal == "": // some fees may have been given back
		c.Outcome = logcheck.Unknown
	}
	r.record(c)
	return nil
}

// refusals are the store's answers to operators that are no failures.
var refusals = []error{
	store.ErrUnknownShow, store.ErrNotOpen, store.ErrHasEntries, store.ErrNotCancelled, game.ErrShowNotOpen,
}

// refusalIn returns which of the refusals an error is, "" if it is none.
func refusalIn(err error) string {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return r.Error()
		}
	}
	return ""
}

// change carries out an operator's call.
func (r *round) change(ctx context.Context, by store.Operator, o operation, c *logcheck.Record, now game.Instant) error {
	aboutUser := func() game.ID { c.User = o.player.id; return c.User }
	aboutShow := func() game.ID { c.Show = o.show.id; return c.Show }
	switch o.kind {
	case logcheck.CreateShow:
		show := game.Show{
			ID: aboutShow(), Name: fmt.Sprint("Show ", o.show.number), Tier: o.show.tier, EntryFee: o.show.fee,
			EntryClosesAt: now.Add(o.show.closes), Status: game.ShowOpen, SeasonID: r.plan.season,
		}
		c.Answer.Terms = &store.ShowChange{Name: &show.Name, Tier: &show.Tier, EntryFee: &show.EntryFee, EntryClosesAt: &show.EntryClosesAt}
		return by.CreateShow(ctx, show, o.show.gates)
	case logcheck.SetShow:
		t := o.terms(now)
		c.Answer.Terms = &t
		return by.SetShow(ctx, aboutShow(), t)
	case logcheck.Cancel:
		return by.CancelShow(ctx, aboutShow())
	case logcheck.Refund:
		c.Answer.Change = "" // the ledgers' rows are its record
		return by.Refund(ctx, aboutShow(), nil)
	case logcheck.JudgeShow:
		_, err := by.JudgeShow(ctx, aboutShow())
		return err
	case logcheck.Ban:
		return by.Ban(ctx, aboutUser())
	case logcheck.Unban:
		return by.Unban(ctx, aboutUser())
	case logcheck.Revoke:
		return by.RevokeSessions(ctx, aboutUser())
	case logcheck.ChangeAnimal:
		c.Animal, c.Answer.Flaw = o.player.animals[o.animal], o.flaw()
		return by.ChangeAnimal(ctx, aboutUser(), c.Animal, animalChange(c.Answer.Flaw, now))
	case logcheck.AdjustGold:
		return by.AdjustGold(ctx, aboutUser(), 50+int64(o.draw%400), "stress")
	case logcheck.JudgeDue:
		c.Answer.Change = ""
		_, err := r.stage.stack.Invoke(ctx, "JudgeDue", []byte("{}"))
		return err
	}
	return fmt.Errorf("no operator can %s", o.kind)
}

// terms are what a show gets instead of its own.
func (o operation) terms(now game.Instant) store.ShowChange {
	if o.closing {
		soon := now.Add(time.Duration(o.draw%500) * time.Millisecond)
		return store.ShowChange{EntryClosesAt: &soon}
	}
	switch o.draw % 4 {
	case 0:
		name := fmt.Sprintf("Show %d, renamed %d", o.show.number, o.n)
		return store.ShowChange{Name: &name}
	case 1: // refused once somebody has entered
		fee := int64(o.draw >> 8 % 100)
		return store.ShowChange{EntryFee: &fee}
	default:
		later := now.Add(time.Hour + time.Duration(o.draw>>8%1000)*time.Second)
		return store.ShowChange{EntryClosesAt: &later}
	}
}

// flaw is what a change gives to an animal: half of them let it enter again.
func (o operation) flaw() logcheck.Flaw {
	if n := int(o.draw % 6); n < len(logcheck.Flaws) {
		return logcheck.Flaws[n]
	}
	return logcheck.Fit
}

// animalChange keeps an animal from entering, or lets it enter again.
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
