package logcheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// checkStored compares a show in the table and its entries with the records of its calls.
func (c *Checker) checkStored(ctx context.Context, s *store.Store, show game.ID, records []*Record) error {
	record, err := s.ShowRecord(ctx, show)
	if errors.Is(err, store.ErrUnknownShow) {
		for _, r := range records {
			if r.Outcome == Done {
				c.violation("no show", fmt.Sprintf("%s of show %s was done, and there is no such show", r.Kind, show), *r)
			}
		}
		return nil
	} else if err != nil {
		return err
	}
	_, entries, err := s.ShowWithEntries(ctx, show)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.report.Table.Shows++
	c.mu.Unlock()
	c.checkEntries(show, entries, records)
	c.checkJudging(record, entries, records)
	c.checkReceipts(record.Show, entries, records)
	if record.Terms == 0 && !c.options.Complete { // else the terms at a call's time are unknown, or states.go has them
		c.checkTerms(record.Show, entries, records)
	}
	return nil
}

// checkEntries pairs the entries with the calls that may have made them. Each must have the other.
func (c *Checker) checkEntries(show game.ID, entries []game.Entry, records []*Record) {
	calls := which(of(records, Enter), (*Record).may)
	players, callers := each(entries, func(e game.Entry) game.ID { return e.PlayerID }), each(calls, func(r *Record) game.ID { return r.User })
	pairs := pairing(callers, players, func(call, entry int) bool {
		e, r := entries[entry], calls[call]
		return (r.Animal == "" || r.Animal == e.AnimalID) && c.stored(e.CreatedAt, r)
	}, func(call int) bool { return isDone(calls[call]) })
	for i, r := range calls {
		if r.Outcome == Done && pairs.ofCall[i] < 0 {
			c.violation("no entry", fmt.Sprintf("player %s has entered show %s at %v, which has no such entry", r.User, show, r.Began), *r)
		}
	}
	for i, e := range entries {
		if pairs.ofItem[i] < 0 && c.covered(e.CreatedAt) {
			c.violation("entry of no call", fmt.Sprintf("show %s has an entry of player %s, made at %v, which is of no call", show, e.PlayerID, e.CreatedAt))
		}
	}
}

// checkJudging compares the stored judge of a show with the judgings. A judging by a player must have its record.
func (c *Checker) checkJudging(show store.ShowRecord, entries []game.Entry, records []*Record) {
	var mayBe []*Record
	for _, r := range records {
		switch {
		case r.Kind != Judge && r.Kind != JudgeDue || !r.may():
			continue
		case r.Outcome == Unknown:
			mayBe = append(mayBe, r)
			continue
		}
		by := string(r.User)
		if r.Kind == JudgeDue {
			by = store.JudgedByDue
		}
		if show.Status != game.ShowCompleted || show.JudgedBy != by || r.Kind == Judge && !c.stored(*show.JudgedAt, r) {
			c.violation("judging", fmt.Sprintf("show %s was judged by %s, but it is %s by %q", show.ID, by, show.Status, show.JudgedBy), *r)
		} else if r.Kind == Judge && r.Judged >= 0 && r.Judged != len(entries) {
			c.violation("entries judged", fmt.Sprintf("show %s was judged with %d entries, and has %d", show.ID, r.Judged, len(entries)), *r)
		}
		return
	}
	_, byPlayer := game.ParseID(show.JudgedBy)
	if show.Status == game.ShowCompleted && byPlayer && len(mayBe) == 0 && c.covered(*show.JudgedAt) {
		c.violation("judged by no call", fmt.Sprintf("show %s was judged by %s at %v, which is of no call", show.ID, show.JudgedBy, show.JudgedAt))
	}
}

// checkReceipts compares the claims that were paid with the claimed entries of the show, and with the players' ranks.
func (c *Checker) checkReceipts(show game.Show, entries []game.Entry, records []*Record) {
	claimed, best := map[game.ID]bool{}, map[game.ID]int{} // 0 is unranked
	for _, e := range entries {
		claimed[e.PlayerID] = claimed[e.PlayerID] || e.RewardClaimed
		if e.Rank != nil && (best[e.PlayerID] == 0 || *e.Rank < best[e.PlayerID]) {
			best[e.PlayerID] = *e.Rank
		}
	}
	for _, r := range records {
		switch prize := game.Prize(show.Tier, best[r.User]); {
		case r.Kind != Claim || r.Outcome != Done:
		case !claimed[r.User]:
			c.violation("no receipt", fmt.Sprintf("player %s has claimed in show %s, which does not say so", r.User, show.ID), *r)
		case r.Paid != prize:
			c.violation("another prize", fmt.Sprintf("player %s was paid %d for rank %d of show %s, which gives %d", r.User, r.Paid, best[r.User], show.ID, prize), *r)
		}
	}
}

// checkTerms compares a show's entries and refused entries with its terms. The terms must never have changed.
func (c *Checker) checkTerms(show game.Show, entries []game.Entry, records []*Record) {
	for _, e := range entries {
		if e.CreatedAt >= show.EntryClosesAt {
			c.violation("entered late", fmt.Sprintf("show %s has an entry of player %s, made at %v, and closed at %v", show.ID, e.PlayerID, e.CreatedAt, show.EntryClosesAt))
		}
	}
	exists, closes := state{makers: which(of(records, Enter), isDone)}, show.EntryClosesAt
	switch {
	case show.JudgedAt != nil:
		closes = min(closes, *show.JudgedAt)
	case show.Status != game.ShowOpen: // cancelled, at an unknown time
		closes = 0
	}
	for _, r := range records {
		switch {
		case r.Kind == Enter && r.Outcome == Done && r.Charged != max(show.EntryFee, 0):
			c.violation("another fee", fmt.Sprintf("player %s was charged %d for show %s, which costs %d", r.User, r.Charged, show.ID, show.EntryFee), *r)
		case r.Kind == Enter && r.refusedAs(game.ErrShowClosed) && c.certain(exists, r) && c.before(r.Ended, closes):
			c.violation("closed early", fmt.Sprintf("player %s was answered at %v that show %s is closed, which it was not before %v", r.User, r.Ended, show.ID, closes), *r)
		}
	}
}
