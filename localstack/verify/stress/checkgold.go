package main

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// checkGold: all the gold there is came into being by registrations, prizes, and operators, and went by fees.
func (e *evidence) checkGold() {
	is, should, adjustments := int64(0), int64(0), 0
	for _, u := range e.facts.Users {
		is, should = is+u.Gold, should+game.StartingGold
		for _, row := range u.Ledger {
			if row.Category == game.CategoryAdjustment {
				should += row.Amount
				adjustments++
			}
		}
	}
	for _, show := range e.facts.Shows {
		for _, entry := range show.Entries {
			if !entry.Refunded {
				should -= entry.Paid
			}
		}
		for _, receipt := range show.Receipts {
			should += receipt.Prize
		}
	}
	if is != should {
		e.report(subject{}, "there are %d gold, and should be %d", is, should)
	}
	changes := 0
	for _, action := range e.facts.Changes {
		if action == "adjust gold" {
			changes++
		}
	}
	if changes != adjustments {
		e.report(subject{}, "there are %d adjustments of gold, and %d records of them", adjustments, changes)
	}
}

// balances returns what gold the caller may have had while the call was under way. The rows of a ledger are in the
// order in which they were written: all those are there up to the last one that was written before the call began, and
// none of those from the first one on whose own call began when this one was over.
func (e *evidence) balances(c *call) (gold []int64) {
	type about struct {
		category game.Category
		show     game.ID
	}
	written := map[about]int{} // rows of calls that were over
	for _, o := range which(e.byUser[c.User], func(o *call) bool { return o.outcome == done && o.before(c) }) {
		switch o.Kind {
		case kindEnter:
			written[about{game.CategoryFee, o.Show}]++
		case kindClaim:
			written[about{game.CategoryReward, o.Show}]++
		case kindAdjustGold:
			written[about{category: game.CategoryAdjustment}]++
		}
	}
	ledger := e.facts.Users[c.User].Ledger
	least, most := 1, len(ledger)
	seen := map[about]int{}
	for i, row := range ledger {
		a := about{category: row.Category}
		if row.RefID != nil {
			a.show = *row.RefID
		}
		if seen[a]++; seen[a] <= written[a] || a.category == game.CategoryRefund && e.refundedBefore(a.show, c) {
			least = i + 1
		}
		if row.CreatedAt > e.wall(c.Ended+logSkew) {
			most = min(most, i)
		}
	}
	for n := least; n <= max(least, most) && n <= len(ledger); n++ {
		gold = append(gold, ledger[n-1].BalanceAfter)
	}
	return gold
}

// refundedBefore reports whether all fees of a show had been given back when the call began.
func (e *evidence) refundedBefore(show game.ID, c *call) bool {
	return slices.ContainsFunc(of(e.byShow[show], kindRefund), func(o *call) bool { return o.outcome == done && o.before(c) })
}
