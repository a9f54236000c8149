package logcheck

import (
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// String describes the call: its kind, its ids and its outcome.
func (r *Record) String() string {
	text := string(r.Kind)
	if r.Answer != nil {
		text += fmt.Sprintf(" #%d", r.Answer.N)
		if r.Answer.Username != "" {
			text += fmt.Sprintf(" as %s, %s,", r.Answer.Username, r.Answer.Email)
		}
	}
	for _, part := range []struct {
		name string
		id   game.ID
	}{{"user", r.User}, {"show", r.Show}, {"animal", r.Animal}} {
		if part.id != "" {
			text += fmt.Sprintf(" %s %s", part.name, part.id)
		}
	}
	text += " (" + string(r.Outcome)
	switch {
	case r.Refusal != "":
		text += ", " + r.Refusal
	case r.Answer != nil && r.Answer.Error != "":
		text += ", " + r.Answer.Error
	case r.Paid != 0:
		text += fmt.Sprintf(", %d gold paid", r.Paid)
	case r.Charged != 0:
		text += fmt.Sprintf(", %d gold charged", r.Charged)
	}
	return text + ")"
}

// wrong reports a call whose outcome or answer contradicts other calls or the table.
func (c *Checker) wrong(r *Record, format string, args ...any) {
	c.violation(string(r.Kind)+" "+format, fmt.Sprintf("%v: ", r)+fmt.Sprintf(format, args...), *r)
}

// unless reports the call r, which is done, if the state s, an obstacle, was certainly true during the whole call.
func (c *Checker) unless(s state, r *Record, what string) {
	if by := c.certainBy(s, r); by != nil {
		c.violation(string(r.Kind)+" "+what, fmt.Sprintf("%v: %s, by %v, which began at %v", r, what, by, by.Began), *by, *r)
	}
}

// checkCall compares the outcome and the answer of a call that is done or refused with the states during the call.
func (c *Checker) checkCall(r *Record) {
	switch r.Outcome {
	case Done:
		c.checkDone(r)
		if r.Answer != nil && r.Answer.Status == 200 {
			c.checkAnswer(r)
		}
	case Refused:
		c.checkRefused(r)
	}
}

// checkDone reports a call that is done although an obstacle must have stopped it.
func (c *Checker) checkDone(r *Record) {
	s := c.showOf(r.Show)
	switch r.Kind {
	case Enter, Claim, Judge, Login, Refresh:
		c.unless(c.banned(r.User), r, "the user was banned")
	}
	switch r.Kind {
	case Enter:
		c.unless(s.ended, r, "the show had ended")
		c.unless(s.closed(r.Began.Add(-c.options.Skew)), r, "the show was closed")
		for _, flaw := range Flaws {
			c.unless(c.flawed(r.User, r.Animal, flaw), r, "the animal was "+string(flaw))
		}
	case Claim:
		if s.endKnown && !c.possible(s.ended, r) {
			c.wrong(r, "the show was not judged yet")
		}
	case SetShow:
		c.unless(s.ended, r, "the show had ended")
	case Refresh:
		if r.Answer != nil {
			ended, _ := c.sessionEnds(r)
			c.unless(ended, r, "the session had ended")
		}
	}
}

// checkRefused checks that the reason of a refusal may have been true at some instant of the call. Without Complete, it
// checks only the reasons about a show's end and a claim.
func (c *Checker) checkRefused(r *Record) {
	s := c.showOf(r.Show)
	open := c.certain(s.exists(), r) && s.endKnown && !c.possible(s.ended, r)
	switch {
	case r.Kind == Judge && r.refusedAs(game.ErrShowNotOpen), r.Refusal == store.ErrNotOpen.Error(), r.Refusal == game.ErrShowNotOpen.Error():
		if open {
			c.wrong(r, "the show was open")
		}
	case r.Kind == Claim && r.refusedAs(game.ErrNothingToClaim):
		if s.judged() && c.certain(s.ended, r) && (s.hasEntryOf(r.User) || c.certain(s.by(Enter, r.User), r)) {
			c.wrong(r, "the show was judged with an entry of the player")
		}
	case r.Kind == Claim && r.refusedAs(game.ErrAlreadyClaimed):
		known := c.options.Complete || s.judged() && len(c.lost) == 0 && c.covered(r.Began)
		if known && !c.possible(s.by(Claim, r.User), r) {
			c.wrong(r, "the player had not claimed the prize")
		}
		if _, claimed := s.stored.Receipts[r.User]; s.known && !claimed {
			c.wrong(r, "there is no receipt")
		}
	case !c.options.Complete:
	case r.refusedAs(game.ErrUnauthorized), r.Kind == Login && r.refusedAs(game.ErrBanned):
		if !c.possible(c.banned(r.User), r) {
			c.wrong(r, "the user was not banned")
		}
	case r.Kind == Login && r.refusedAs(game.ErrInvalidCredentials): // the password of every call is right
		if !c.meets(r, of(c.byUser[r.User], ResetPassword)) {
			c.wrong(r, "no call has reset the password")
		}
	case r.Kind == Enter && r.refusedAs(game.ErrShowClosed):
		if open && !c.possible(s.closed(r.Ended.Add(c.options.Skew)), r) {
			c.wrong(r, "the show was open for entries")
		}
	case r.Kind == Enter && r.refusedAs(game.ErrDuplicateEntry):
		if !c.possible(s.entered(r.Animal), r) {
			c.wrong(r, "the animal had no entry")
		}
		if _, there := s.stored.Entries[r.Animal]; s.known && !there {
			c.wrong(r, "there is no such entry")
		}
	case r.Kind == Enter && r.refusedAs(&game.Refusal{Code: game.CodeInsufficientGold}):
		c.checkShortOfGold(r, s)
	case r.Kind == Register && r.refusedAs(game.ErrTaken):
		if !c.possible(c.named(r), r) {
			c.wrong(r, "no other call wanted the name")
		}
	case r.Kind == Refresh && r.refusedAs(game.ErrRefreshTokenDead):
		if _, ended := c.sessionEnds(r); !c.possible(ended, r) {
			c.wrong(r, "nothing has ended the session")
		}
	case r.Kind == Detail && r.refusedAs(game.ErrShowUnknown), r.Refusal == store.ErrUnknownShow.Error():
		if c.certain(s.exists(), r) {
			c.wrong(r, "the show was there")
		}
	case r.Refusal == store.ErrHasEntries.Error():
		if !c.possible(state{makers: of(s.calls, Enter)}, r) {
			c.wrong(r, "there were no entries")
		}
	case r.Refusal == store.ErrSameTerms.Error():
		same := which(of(s.calls, CreateShow, SetShow), func(o *Record) bool {
			show := o.Answer.Terms.Apply(game.Show{})
			return o != r && r.Answer.Terms.Apply(show) == show
		})
		if !c.possible(state{makers: same}, r) {
			c.wrong(r, "no call had given the show these terms")
		}
	case r.Refusal == store.ErrNotCancelled.Error():
		if s.known && s.stored.Status == game.ShowCancelled && c.certain(s.ended, r) {
			c.wrong(r, "the show was cancelled")
		}
	case r.Kind == Enter && r.refusedAs(game.ErrAnimalUnknown):
		c.checkFlaw(r, Dead)
	case r.Kind == Enter && r.refusedAs(game.ErrPregnant):
		c.checkFlaw(r, Pregnant)
	case r.Kind == Enter && r.refusedAs(game.ErrCalf):
		c.checkFlaw(r, Calf)
	case r.Answer != nil && r.Answer.Status != 0:
		c.wrong(r, "there is no reason for such a refusal")
	}
}

// checkFlaw checks that the animal of a refused entry may have had the flaw during the call.
func (c *Checker) checkFlaw(r *Record, flaw Flaw) {
	if !c.possible(c.flawed(r.User, r.Animal, flaw), r) {
		c.wrong(r, "the animal was not %s", flaw)
	}
}

// checkShortOfGold checks a refusal for too little gold. At some instant of the call, the show must possibly have had
// the fee that the refusal names, and the player less gold.
func (c *Checker) checkShortOfGold(r *Record, s *show) {
	setters := of(s.calls, CreateShow, SetShow)
	i := slices.IndexFunc(setters, func(o *Record) bool {
		fee := o.Answer.Terms.EntryFee
		return fee != nil && o.may() && !c.precedes(r, o) && r.refusedAs(game.InsufficientGold(*fee))
	})
	if i < 0 {
		c.wrong(r, "the show has never had that fee")
		return
	}
	fee := *setters[i].Answer.Terms.EntryFee
	if balances := c.balances(r); !slices.ContainsFunc(balances, func(gold int64) bool { return gold < fee }) {
		c.wrong(r, "the player had %d gold", balances)
	}
}

// balances returns the balances that the caller may have had during the call. The rows of a ledger are in the order in
// which they were written. The rows up to the last one of an earlier call were there. The first row that is later than
// the call, and all rows after it, were not.
func (c *Checker) balances(r *Record) (gold []int64) {
	written := map[move]int{} // by calls that ended before
	for _, o := range which(of(c.byUser[r.User], Enter, Claim, AdjustGold), isDone) {
		if c.precedes(o, r) {
			written[o.move()]++
		}
	}
	ledger := c.facts.Users[r.User].Ledger
	least, most := 1, len(ledger)
	seen := map[move]int{}
	for i, row := range ledger {
		m := moveOf(row)
		seen[m]++
		refunded := m.category == game.CategoryRefund && c.certain(state{makers: of(c.byShow[m.show], Refund)}, r)
		if seen[m] <= written[m] || refunded {
			least = i + 1
		}
		if row.CreatedAt > r.Ended.Add(c.options.Skew) {
			most = min(most, i)
		}
	}
	for n := least; n <= max(least, most) && n <= len(ledger); n++ {
		gold = append(gold, ledger[n-1].BalanceAfter)
	}
	return gold
}

// checkTwice reports two calls that end the same show, enter the same animal or claim the same prize, and are done.
func (c *Checker) checkTwice(s *show) {
	type once struct {
		what string
		id   game.ID
	}
	first := map[once]*Record{}
	for _, r := range which(s.calls, isDone) {
		var what once
		switch {
		case r.Kind == Judge, r.Kind == JudgeDue, r.Kind == JudgeShow, r.Kind == Cancel:
			what.what = "was ended"
		case r.Kind == Enter && r.Animal != "":
			what = once{"has the entry of an animal", r.Animal}
		case r.Kind == Claim:
			what = once{"has paid the prize of a player", r.User}
		default:
			continue
		}
		if other := first[what]; other != nil {
			c.violation("done twice", fmt.Sprintf("show %s %s twice: %v, and %v", s.id, what.what, other, r), *other, *r)
		}
		first[what] = r
	}
}

// checkLeftOut reports a judging by a player that counted fewer entries than were certainly made before it.
func (c *Checker) checkLeftOut(s *show) {
	for _, judging := range which(of(s.calls, Judge), isDone) {
		before := len(which(of(s.calls, Enter), func(r *Record) bool { return r.Outcome == Done && c.precedes(r, judging) }))
		if judging.Judged >= 0 && before > judging.Judged {
			c.wrong(judging, "the show had %d entries before, and the judging counted %d", before, judging.Judged)
		}
	}
}

// checkRegistration checks that the user has registered at most once, with the starting gold, and did nothing before.
func (c *Checker) checkRegistration(user game.ID, records []*Record) {
	var registration *Record
	for _, r := range which(of(records, Register), isDone) {
		if registration != nil {
			c.violation("registered twice", fmt.Sprintf("user %s has registered twice", user), *registration, *r)
		}
		registration = r
		if r.Paid != game.StartingGold {
			c.violation("starting gold", fmt.Sprintf("user %s began with %d gold", user, r.Paid), *r)
		}
	}
	if registration == nil {
		return
	}
	for _, r := range which(of(records, Login, Refresh, Enter, Judge, Claim), isDone) {
		if c.precedes(r, registration) {
			c.violation("before the registration", fmt.Sprintf("user %s did something before registering", user), *r, *registration)
		}
	}
}
