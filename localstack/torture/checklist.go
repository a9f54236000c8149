package main

import "github.com/ranch-game/ranch/shared/game"

// checkLists: a list counts every entry that was made before, and none that was not made.
func (e *evidence) checkLists() {
	for _, c := range which(of(e.calls, kindList), happened) {
		for id, row := range c.Got.Entries {
			show := e.facts.Shows[id]
			before := int64(0)
			for _, o := range which(of(e.byShow[id], kindEnter), happened) {
				if o.before(c) {
					before++
				}
			}
			entries := int64(len(show.Entries))
			if row.Count < before || row.Count > entries || row.Status != game.ShowOpen && row.Count != entries {
				e.report(subject{show: id}, "list #%d counts %d entries of the %s show %s: %d were made before, and there are %d",
					c.N, row.Count, row.Status, id, before, entries)
			}
			if row.Status != game.ShowOpen && row.Status != show.Status {
				e.report(subject{show: id}, "list #%d says that show %s is %s, and it is %s", c.N, id, row.Status, show.Status)
			}
		}
	}
}
