package logcheck

import (
	"fmt"
	"math"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// categoryOf maps the kinds of calls that write a row into their user's ledger to the category of the row.
var categoryOf = map[Kind]game.Category{
	Register: game.CategoryStarter, Enter: game.CategoryFee, Claim: game.CategoryReward, AdjustGold: game.CategoryAdjustment,
}

// move is what a ledger row and the call that wrote it have in common.
type move struct {
	category game.Category
	show     game.ID // "" if the row is about no show
}

func moveOf(row game.LedgerEntry) move {
	m := move{category: row.Category}
	if row.RefID != nil {
		m.show = *row.RefID
	}
	return m
}

func (r *Record) move() move { return move{categoryOf[r.Kind], r.Show} }

// movesGold reports whether a call that is done must have a row in its user's ledger.
func (r *Record) movesGold() bool {
	return r.Kind == Register || r.Kind == Enter && r.Charged != 0 || r.Kind == Claim && r.Paid != 0
}

// latest returns the latest instant at which the call may write its row. It has no limit if the outcome is unknown.
func (r *Record) latest() game.Instant {
	if r.Outcome == Unknown {
		return math.MaxInt64
	}
	return r.Ended
}

// checkLedger compares all rows of a user's ledger, in their order, with the user's records. Each row must belong to
// one call, and each call that moved gold must have one row. The order must not contradict the times of the calls.
func (c *Checker) checkLedger(user game.ID, rows []game.LedgerEntry) {
	calls := which(of(c.byUser[user], Register, Enter, Claim), func(r *Record) bool {
		return r.Outcome == Unknown || r.Outcome == Done && r.movesGold()
	})
	pairs := c.pairRows(rows, calls)
	for i, r := range calls {
		if r.Outcome == Done && pairs.ofCall[i] < 0 {
			c.violation("no row", fmt.Sprintf("user %s: %s of show %q at %v (paid %d, charged %d) has no row in the ledger", user, r.Kind, r.Show, r.Began, r.Paid, r.Charged), *r)
		}
	}
	var latest *Record // the call of an earlier row that began last
	for i, row := range rows {
		if row.Category == game.CategoryAdjustment || row.Category == game.CategoryRefund {
			continue // operators' rows belong to no call of a player
		}
		if pairs.ofItem[i] < 0 {
			if c.covered(row.CreatedAt) && !c.mayBeOwnerless(row) {
				c.violation("no call", fmt.Sprintf("user %s: row %d (%s of %d at %v) is of no call", user, row.Seq, row.Category, row.Amount, row.CreatedAt))
			}
			continue
		}
		c.count(row)
		r := calls[pairs.ofItem[i]]
		if latest != nil && r.Outcome == Done && c.before(r.Ended, latest.Began) {
			c.violation("order", fmt.Sprintf("user %s: row %d is of a call that had ended before that of an earlier row began", user, row.Seq), *r, *latest)
		}
		if latest == nil || r.Began > latest.Began {
			latest = r
		}
	}
}

// pairRows pairs calls with rows. If rows have the same millisecond and amount, it cannot know which call wrote which.
// Then the call that ended first gets the first row, which contradicts no possible order of the calls.
func (c *Checker) pairRows(rows []game.LedgerEntry, calls []*Record) pairs {
	may := func(call, row int) bool { return c.isOf(rows[row], calls[call]) }
	pairs := pairing(each(calls, (*Record).move), each(rows, moveOf), may, func(call int) bool { return isDone(calls[call]) })
	pairs.inOrder(may, func(call, other int) bool { return calls[call].latest() < calls[other].latest() })
	return pairs
}

// each returns the values of the elements.
func each[E, V any](elements []E, value func(E) V) []V {
	values := make([]V, len(elements))
	for i, e := range elements {
		values[i] = value(e)
	}
	return values
}

// mayBeOwnerless reports whether a row may belong to a registration whose user is unknown.
func (c *Checker) mayBeOwnerless(row game.LedgerEntry) bool {
	return row.Category == game.CategoryStarter && slices.ContainsFunc(c.ownerless, func(r *Record) bool { return c.isOf(row, r) })
}

// isOf reports whether a row may belong to a call of its category and show, by its time and amount.
func (c *Checker) isOf(row game.LedgerEntry, r *Record) bool {
	return c.stored(row.CreatedAt, r) && (r.Outcome != Done || row.Amount == r.Paid-r.Charged)
}

// stored reports whether the call may have stored a record with the time at. If the call's own time is known, the
// record has exactly that time. Otherwise the record has a time between the beginning and the end of the call, or any
// later one if the outcome is unknown. The skew extends this range.
func (c *Checker) stored(at game.Instant, r *Record) bool {
	switch {
	case r.At != 0:
		return at == r.At
	case c.before(at, r.Began):
		return false
	}
	return r.Outcome == Unknown || !c.before(r.Ended, at)
}

func (c *Checker) count(row game.LedgerEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row.Amount < 0 {
		c.report.Table.Charged -= row.Amount
	} else {
		c.report.Table.Paid += row.Amount
	}
}
