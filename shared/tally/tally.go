// Package tally adds up the cost and the effects of one request. The request's log line reports them, and package emf
// makes metrics of them: trouble shows there before it is an outage.
//
// An effect is counted where it occurs, once: after the write that caused it, however often that was tried.
package tally

import (
	"context"
	"sync/atomic"
	"time"
)

// Figure is one of the counted numbers.
type Figure int

// The figures. Package emf names those that are metrics, with their dimensions.
const (
	Faults           Figure = iota // answers to a fault
	ColdStarts                     // first requests of a process
	Refusals                       // refusals by the rules
	RefreshRefusals                // of these, 401s to a refresh: a player must log in again
	Attempts                       // how often a write was sent to the table, repetitions included
	Conflicts                      // how often another write came in between: one under way, or one since the reads
	Retries                        // passing failures of requests: throttling, a server's error, a lost answer
	Leases                         // how often a judging or an operator took a lease on a show, so that others wait
	DamagedShows                   // how many shows were listed without all of their gates
	GoldPaid                       // gold that a player received: starting gold, prizes
	GoldCharged                    // gold that a player paid: fees
	Entries                        // entries that were made
	JudgedEntries                  // entries of a show that was judged
	JudgingDuration                // the duration of a judging, in milliseconds, rounded up
	EarlyJudgings                  // shows judged before their closing time by a player who gets a prize by it
	KeysUnparsable                 // reads of the signing keys whose current version could not be parsed
	LedgersAudited                 // accounts whose ledger was compared with their balance
	LedgerDrift                    // how many of these did not agree
	Leftovers                      // items of results that no show points to, which an audit deleted
	NamesHidden                    // entries from which an audit removed the name of a deleted player
	OldestUnfinished               // the age of the oldest unfinished refunds or deletion, in seconds
	OldestOverdue                  // the time since the oldest due, unjudged show closed, in seconds
	SyntheticPlays                 // runs of the synthetic player in which every call succeeded
	TurnedAway                     // 503 answers, since the doors are closed
	Busy                           // 503 answers, since the table throttled a player's read for too long
	Gate                           // the gate of an entry in its show, from 1
	count
)

// names are the names of metrics in the template's alarms, and of fields in queries of the log: they do not change.
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

// Tally holds the figures of one request. It is safe for concurrent use.
type Tally struct{ figures [count]atomic.Int64 }

type contextKey struct{}

// New returns a context and its tally, to which Add adds.
func New(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, contextKey{}, t), t
}

// Add adds n to a figure of the context's tally. Without one it does nothing: operators' tools have none.
func Add(ctx context.Context, f Figure, n int64) {
	if t, ok := ctx.Value(contextKey{}).(*Tally); ok {
		t.Add(f, n)
	}
}

// Milliseconds returns a duration in milliseconds, rounded up, so that it is never 0 for something that happened.
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
