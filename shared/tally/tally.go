// Package tally adds up the cost and the effects of one request. The request's log line reports the sums, and package
// emf makes metrics of them, so that trouble shows before it becomes an outage.
//
// Code counts an effect once, after the write that caused it has succeeded, however often the store has sent that
// write.
package tally

import (
	"context"
	"sync/atomic"
	"time"
)

// Figure is the name of a number that a Tally counts.
type Figure int

// These are the figures. Package emf says which of them are metrics, and by which dimensions.
const (
	Faults           Figure = iota // answers to a fault
	ColdStarts                     // first requests of a process
	Refusals                       // refusals by the rules
	RefreshRefusals                // refused refreshes of a session (401): the player must log in again
	Attempts                       // how often a write was sent to the table, repetitions included
	Conflicts                      // how often a concurrent write made a write fail
	Retries                        // passing failures of the table: throttling, server errors, lost answers
	Leases                         // how often a judging or an operator locked a show for a limited time (lease)
	DamagedShows                   // listed shows that lack some of their gates (counter shards)
	GoldPaid                       // gold that a player received: starting gold, prizes
	GoldCharged                    // gold that a player paid: fees
	Entries                        // entries that were made
	JudgedEntries                  // entries of a show that was judged
	JudgingDuration                // the duration of a judging, in milliseconds, rounded up
	EarlyJudgings                  // shows judged before their closing time by a player who wins a prize in them
	KeysUnparsable                 // reads of the signing keys whose current version could not be parsed
	LedgersAudited                 // accounts whose ledger was compared with their balance
	LedgerDrift                    // differences between such a ledger and its balance
	Leftovers                      // items with results that no show points to, which an audit deleted
	NamesHidden                    // entries from which an audit removed the name of a deleted player
	OldestUnfinished               // the age of the oldest unfinished refunds or deletion, in seconds
	OldestOverdue                  // the time since the oldest show that waits for its judging closed, in seconds
	SyntheticPlays                 // runs of the synthetic player in which every call succeeded
	TurnedAway                     // 503 answers while an operator has closed the API
	Busy                           // 503 answers because the table throttled a player's read for too long
	Gate                           // the gate (counter shard) of the show that counts the entry, from 1
	count
)

// names holds the figures' names. The alarms in template.yaml and queries of the log use them, so they must not change.
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

// New returns a context with a new tally, and the tally. Calls of Add with the context count in the tally.
func New(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, contextKey{}, t), t
}

// Add adds n to a figure of the context's tally. It does nothing if the context has no tally, as in operators' tools.
func Add(ctx context.Context, f Figure, n int64) {
	if t, ok := ctx.Value(contextKey{}).(*Tally); ok {
		t.Add(f, n)
	}
}

// Milliseconds returns a duration in milliseconds, rounded up. So it returns 0 only for a duration of 0.
func Milliseconds(took time.Duration) int64 {
	return (took + time.Millisecond - time.Nanosecond).Milliseconds()
}

// Add adds n to a figure.
func (t *Tally) Add(f Figure, n int64) { t.figures[f].Add(n) }

// Get returns a figure.
func (t *Tally) Get(f Figure) int64 { return t.figures[f].Load() }

// Each calls visit with every figure that is not 0, in the order of the constants.
func (t *Tally) Each(visit func(f Figure, n int64)) {
	for f := range count {
		if n := t.Get(f); n != 0 {
			visit(f, n)
		}
	}
}
