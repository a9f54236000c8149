// Package tally adds up what one request came to: what it took, and what became true by it. The request's one line in
// the log says so, and package emf makes metrics of it: trouble shows there before it is an outage.
//
// What becomes true is counted where it does, once: after the write that made it so, however often that was tried.
package tally

import (
	"context"
	"sync/atomic"
	"time"
)

// Figure is one of the numbers that are added up.
type Figure int

// The figures. Package emf names those that are metrics, with their dimensions.
const (
	Faults           Figure = iota // answers that stand for a fault
	ColdStarts                     // first requests of a process
	Refusals                       // answers of the rules other than yes
	RefreshRefusals                // of these, 401s to who wanted a new access token: a player has to log in again
	Attempts                       // how often a write was sent to the table, repetitions included
	Conflicts                      // how often another write came in between: one under way, or one since the reads
	Retries                        // how often a request failed in passing: throttling, a server's error, a lost answer
	Leases                         // how often a judging or an operator took a lease on a show, so that others wait
	DamagedShows                   // how many shows were listed without all of their gates
	GoldPaid                       // gold that came into being for a player: starting gold, prizes
	GoldCharged                    // gold taken from a player: fees
	Entries                        // entries that were made
	JudgedEntries                  // entries of a show that was judged
	JudgingDuration                // what judging a show took, in milliseconds, begun ones in full
	EarlyJudgings                  // shows judged before their closing time by who gets a prize by it
	KeysUnparsable                 // readings of the signing keys whose current version could not be parsed
	LedgersAudited                 // accounts whose ledger was compared with their balance
	LedgerDrift                    // what of that did not agree
	Leftovers                      // items of results that no show leads to, which an audit deleted
	NamesHidden                    // entries from which an audit took the name of a deleted player
	OldestUnfinished               // how long ago the oldest unfinished refunds or deletion were begun, in seconds
	OldestOverdue                  // how long ago the oldest show that is due and not judged has closed, in seconds
	SyntheticPlays                 // runs of the synthetic player in which every call went well
	TurnedAway                     // answers of 503, since the doors are closed
	Busy                           // answers of 503, since the table throttled a player's read for too long
	Gate                           // which of its show's gates, from 1, an entry went through
	count
)

// names are what metrics are called in the template's alarms, and members of the line in queries of the log: they do
// not change.
var names = [count]string{
	"Faults", "ColdStarts", "Refusals", "RefreshRefusals", "Attempts", "Conflicts", "Retries", "Leases", "DamagedShows",
	"GoldPaid", "GoldCharged", "Entries", "JudgedEntries", "JudgingDuration", "EarlyJudgings", "KeysUnparsable", "LedgersAudited",
	"LedgerDrift", "Leftovers", "NamesHidden", "OldestUnfinished", "OldestOverdue", "SyntheticPlays", "TurnedAway", "Busy", "gate",
}

// String returns the figure's name in the log.
func (f Figure) String() string { return names[f] }

// Figures returns all figures.
func Figures() []Figure {
	all := make([]Figure, count)
	for f := range count {
		all[f] = f
	}
	return all
}

// Tally holds the figures of one request. It may be used by several goroutines.
type Tally struct{ figures [count]atomic.Int64 }

type contextKey struct{}

// New returns a context in which Add adds to the tally that it returns, too.
func New(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, contextKey{}, t), t
}

// Add adds n to a figure of the context's tally. Without one it does nothing: operators' tools keep none.
func Add(ctx context.Context, f Figure, n int64) {
	if t, ok := ctx.Value(contextKey{}).(*Tally); ok {
		t.Add(f, n)
	}
}

// Milliseconds returns what took a duration adds to a figure. It counts a begun millisecond in full, so that whatever
// took place took some.
func Milliseconds(took time.Duration) int64 {
	return (took + time.Millisecond - time.Nanosecond).Milliseconds()
}

// Add adds n to a figure.
func (t *Tally) Add(f Figure, n int64) { t.figures[f].Add(n) }

// Get returns a figure.
func (t *Tally) Get(f Figure) int64 { return t.figures[f].Load() }

// Each calls visit with every figure that is not 0, always in the same order.
func (t *Tally) Each(visit func(f Figure, n int64)) {
	for f := range count {
		if n := t.Get(f); n != 0 {
			visit(f, n)
		}
	}
}
