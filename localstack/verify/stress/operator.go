package main

import (
	"context"
	"fmt"
	"time"

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
	c := &call{N: o.n, Kind: o.kind}
	patience := operatorPatience
	if o.kind == kindJudgeDue {
		patience = runPatience
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	now := game.InstantOf(time.Now())
	change := store.NewChange(byOperator, "torture", now)
	by := r.stage.operators.Operator(change)
	c.Change = change.ID
	c.Began = r.now()
	err := r.change(bounded, by, o, c, now)
	c.Ended = r.now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.outcome = toldOperator(err); err != nil {
		c.Error, c.Code = err.Error(), refusalIn(err)
	}
	switch {
	case o.kind == kindJudgeDue: // it tells of no show, and fails as a function does
		c.outcome = unknown
	case o.kind == kindRefund && c.outcome == refused && c.Code == "": // some fees may have been given back
		c.outcome = unknown
	}
	r.record(c)
	return nil
}

// change carries out an operator's call.
func (r *round) change(ctx context.Context, by store.Operator, o operation, c *call, now game.Instant) error {
	aboutUser := func() game.ID { c.User = o.player.id; return c.User }
	aboutShow := func() game.ID { c.Show = o.show.id; return c.Show }
	switch o.kind {
	case kindCreateShow:
		show := game.Show{
			ID: aboutShow(), Name: fmt.Sprint("Show ", o.show.number), Tier: o.show.tier, EntryFee: o.show.fee,
			EntryClosesAt: now.Add(o.show.closes), Status: game.ShowOpen, SeasonID: r.plan.season,
		}
		c.Terms = &terms{Name: &show.Name, Tier: &show.Tier, EntryFee: &show.EntryFee, EntryClosesAt: &show.EntryClosesAt}
		return by.CreateShow(ctx, show, o.show.gates)
	case kindSetShow:
		t := o.terms(now)
		c.Terms = &t
		return by.SetShow(ctx, aboutShow(), t)
	case kindCancel:
		return by.CancelShow(ctx, aboutShow())
	case kindRefund:
		c.Change = "" // the ledgers' rows are its record
		return by.Refund(ctx, aboutShow(), nil)
	case kindJudgeShow:
		_, err := by.JudgeShow(ctx, aboutShow())
		return err
	case kindBan:
		return by.Ban(ctx, aboutUser())
	case kindUnban:
		return by.Unban(ctx, aboutUser())
	case kindRevoke:
		return by.RevokeSessions(ctx, aboutUser())
	case kindChangeAnimal:
		c.Animal, c.Becomes = o.player.animals[o.animal], o.becomes()
		return by.ChangeAnimal(ctx, aboutUser(), c.Animal, animalChange(c.Becomes, now))
	case kindAdjustGold:
		return by.AdjustGold(ctx, aboutUser(), 50+int64(o.draw%400), "torture")
	case kindJudgeDue:
		c.Change = ""
		_, err := r.stage.stack.Invoke(ctx, "JudgeDue", []byte("{}"))
		return err
	}
	return fmt.Errorf("no operator can %s", o.kind)
}

// terms are what a show gets instead of its own.
func (o operation) terms(now game.Instant) terms {
	if o.closing {
		soon := now.Add(time.Duration(o.draw%500) * time.Millisecond)
		return terms{EntryClosesAt: &soon}
	}
	switch o.draw % 4 {
	case 0:
		name := fmt.Sprintf("Show %d, renamed %d", o.show.number, o.n)
		return terms{Name: &name}
	case 1: // refused once somebody has entered
		fee := int64(o.draw >> 8 % 100)
		return terms{EntryFee: &fee}
	default:
		later := now.Add(time.Hour + time.Duration(o.draw>>8%1000)*time.Second)
		return terms{EntryClosesAt: &later}
	}
}

// becomes is what a change makes of an animal: half of them let it enter again.
func (o operation) becomes() string {
	if n := int(o.draw % 6); n < len(flaws) {
		return flaws[n]
	}
	return fit
}

// animalChange keeps an animal from entering, or lets it enter again.
func animalChange(becomes string, now game.Instant) store.AnimalChange {
	text := func(s string) *string { return &s }
	switch becomes {
	case pregnant:
		return store.AnimalChange{Status: text(game.StatusPregnant)}
	case dead:
		return store.AnimalChange{DiedAt: &now}
	case calf:
		return store.AnimalChange{Stage: text(game.StageCalf)}
	}
	return store.AnimalChange{Status: text(game.StatusIdle), Stage: text(game.StageAdult), Alive: true}
}

// flawsOf are those that an animal has.
func flawsOf(stage, status string, died bool) (found []string) {
	for flaw, has := range map[string]bool{pregnant: status == game.StatusPregnant, dead: died, calf: stage == game.StageCalf} {
		if has {
			found = append(found, flaw)
		}
	}
	return found
}
