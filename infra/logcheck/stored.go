package logcheck

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// CheckRows adds all rows of a table, and reports their violations of invariants. Check then compares them.
func (c *Checker) CheckRows(rows []invariants.Row) {
	facts, problems := invariants.Read(rows)
	c.facts = facts
	for _, problem := range problems {
		c.violation("the table", "the table: "+problem.String())
	}
}

// checkShowStored compares the stored state of a show with the calls that can have led to it.
func (c *Checker) checkShowStored(s *show) {
	stored := s.stored
	wrong := func(format string, args ...any) {
		c.violation("stored show", fmt.Sprintf("show %s: ", s.id)+fmt.Sprintf(format, args...))
	}
	if stored.Status != game.ShowOpen && len(s.ended.makers) == 0 {
		wrong("no call can have made it %s by %q", stored.Status, stored.JudgedBy)
	}
	for _, end := range which(of(s.calls, Judge, JudgeShow, Cancel), isDone) {
		if !s.mayEnd(end) {
			c.wrong(end, "the show is %s by %q", stored.Status, stored.JudgedBy)
		}
	}
	for user, receipt := range stored.Receipts {
		if len(which(s.by(Claim, user).makers, (*Record).may)) == 0 {
			wrong("player %s has a receipt of %d gold and has claimed nothing", user, receipt.Prize)
		}
	}
	setters := which(of(s.calls, CreateShow, SetShow), (*Record).may)
	checkTerm(c, s, setters, "name", stored.Name, func(t *terms) *string { return t.Name })
	checkTerm(c, s, setters, "fee", stored.Fee, func(t *terms) *int64 { return t.EntryFee })
	checkTerm(c, s, setters, "closing time", stored.ClosesAt, func(t *terms) *game.Instant { return t.EntryClosesAt })
	sets := of(setters, SetShow)
	if made := len(which(sets, isDone)); stored.Terms < made || stored.Terms > len(sets) {
		wrong("its terms have been changed %d times, by %d to %d calls", stored.Terms, made, len(sets))
	}
	refunds, refunded := which(of(s.calls, Refund), (*Record).may), stored.Refunded
	for _, entry := range stored.Entries {
		refunded = refunded || entry.Refunded
	}
	if refunded && len(refunds) == 0 {
		wrong("it has refunds, and no call has refunded anything")
	}
	for _, refund := range which(refunds, isDone) {
		if !stored.Refunded {
			c.wrong(refund, "the show does not say so")
		}
	}
}

type terms = store.ShowChange

// checkTerm reports a term of a show unless a call that may be the last to set it has set it to the stored value.
func checkTerm[T comparable](c *Checker, s *show, setters []*Record, name string, is T, in func(*terms) *T) {
	setters = which(setters, func(r *Record) bool { return in(r.Answer.Terms) != nil })
	if !slices.ContainsFunc(setters, func(r *Record) bool { return *in(r.Answer.Terms) == is && c.isLast(r, which(setters, isDone)) }) {
		c.violation("terms", fmt.Sprintf("show %s has the %s %v, which no call has set last", s.id, name, is))
	}
}

// isLast reports whether none of the calls began after the end of r.
func (c *Checker) isLast(r *Record, calls []*Record) bool {
	return !slices.ContainsFunc(calls, func(o *Record) bool { return c.precedes(r, o) })
}

// checkUserStored compares a user's animals, username and sessions with the calls that have changed them.
func (c *Checker) checkUserStored(user game.ID) {
	calls := c.byUser[user]
	for id, animal := range c.facts.Animals {
		if animal.Owner == user {
			c.checkAnimalStored(id, animal, which(of(calls, ChangeAnimal), func(r *Record) bool { return r.Animal == id && r.may() }))
		}
	}
	sets, name := which(of(calls, SetUser), (*Record).may), c.facts.Users[user].Username
	if done := which(sets, isDone); len(done) > 0 && !slices.ContainsFunc(sets, func(r *Record) bool {
		return r.Answer.Username == name && c.isLast(r, done)
	}) {
		c.violation("username", fmt.Sprintf("user %s is called %s, which no call has set last", user, name))
	}
	for _, r := range which(of(calls, Login, Logout), isDone) {
		if r.Answer == nil || r.Answer.Session == "" {
			continue
		}
		_, kept := c.facts.Sessions[r.Answer.Session]
		loggedOut := slices.ContainsFunc(of(calls, Logout), func(o *Record) bool { return o.Answer.Session == r.Answer.Session && o.may() })
		switch {
		case r.Kind == Logout && kept:
			c.wrong(r, "the session is there")
		case r.Kind == Login && !kept && !loggedOut:
			c.wrong(r, "the session is not there")
		}
	}
}

// checkAnimalStored checks how often an animal was changed, and that it has the flaw that the last change has set.
func (c *Checker) checkAnimalStored(id game.ID, animal invariants.Animal, changes []*Record) {
	made := which(changes, isDone)
	if animal.Changes < len(made) || animal.Changes > len(changes) {
		c.violation("animal", fmt.Sprintf("animal %s of user %s has been changed %d times, by %d to %d calls", id, animal.Owner, animal.Changes, len(made), len(changes)))
	}
	flaws := FlawsOf(animal.Stage, animal.Status, animal.Dead)
	for _, r := range made {
		last := !slices.ContainsFunc(changes, func(o *Record) bool { return o != r && (o.Outcome == Unknown || !c.precedes(o, r)) })
		if fit := r.Answer.Flaw == Fit; last && (fit && len(flaws) > 0 || !fit && !slices.Contains(flaws, r.Answer.Flaw)) {
			c.wrong(r, "it is the last change, and the animal is %v", flaws)
		}
	}
}

// checkNames checks that each registration that is done has an account with its names, and a refused one has none.
func (c *Checker) checkNames() {
	byName, byEmail := map[string]game.ID{}, map[string]game.ID{}
	for id, u := range c.facts.Users {
		byName[u.Username], byEmail[u.Email] = id, id
	}
	for _, r := range c.registrations {
		id, there := byName[r.Answer.Username]
		rivals := c.named(r).makers
		switch {
		case r.Outcome == Done && (!there || byEmail[r.Answer.Email] != id || cmp.Or(r.Answer.Account, id) != id):
			c.wrong(r, "the name leads to %q", id)
		case r.Outcome == Done && len(which(rivals, isDone)) > 0:
			c.wrong(r, "another registration of the name is done")
		case r.Outcome == Refused && there && byEmail[r.Answer.Email] == id && len(which(rivals, (*Record).may)) == 0:
			c.wrong(r, "the account is there")
		}
	}
}

// checkChanges checks that an operator's change has a record in the table if the change is done, and none if it was
// refused. There must be as many records as adjustments of gold.
func (c *Checker) checkChanges() {
	for _, r := range c.answered {
		if r.Answer.Change == "" {
			continue
		}
		switch _, recorded := c.facts.Changes[r.Answer.Change]; {
		case r.Outcome == Done && !recorded:
			c.wrong(r, "it has no record")
		case r.Outcome == Refused && recorded:
			c.wrong(r, "it has a record")
		}
	}
	records, rows := 0, 0
	for _, action := range c.facts.Changes {
		if action == string(AdjustGold) {
			records++
		}
	}
	for _, u := range c.facts.Users {
		rows += len(slices.DeleteFunc(slices.Clone(u.Ledger), func(row game.LedgerEntry) bool { return row.Category != game.CategoryAdjustment }))
	}
	if records != rows {
		c.violation("adjustments", fmt.Sprintf("there are %d adjustments of gold, and %d records of them", rows, records))
	}
}
