package main

import "github.com/ranch-game/ranch/shared/game"

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
