// Package tally adds up the cost and the effects of one request, or of one run of a job. The log line reports the sums,
// and package emf makes metrics of them, so that alarms can fire before an outage.
//
// Code counts an effect once, after the write that caused it has succeeded, even if the store sent that write again.
package tally

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Figure is the name of a number that a Tally counts.
type Figure int

// These are the figures. Package emf defines which of them are metrics, and with which dimensions.
const (
	Faults           Figure = iota // answers to a fault, and runs of a job that failed
	ColdStarts                     // first requests of a process
	Refusals                       // refusals by the rules
	RefreshRefusals                // refused refreshes of a session (401): the player must log in again
	Attempts                       // TransactWriteItems, UpdateItem and DeleteItem requests, repetitions included
	Conflicts                      // attempts that a concurrent write made fail
	Retries                        // attempts that met a passing failure: throttling, server errors, lost answers
	Leases                         // how often a judging or an operator locked a show for a limited time (lease)
	DamagedShows                   // listed shows that lack some of their gates (counter shards)
	GoldPaid                       // gold that a player received: starting gold, prizes
	GoldCharged                    // gold that a player paid: fees
	Entries                        // entries that were made
	JudgedEntries                  // entries of a show that was judged
	JudgingDuration                // the duration of a judging, in milliseconds, rounded up
	EarlyJudgings                  // shows judged before their closing time by a player who wins a prize in them
	KeysUnparsable                 // reads that gave no valid keys, from the secret's current version or the table
	LedgersAudited                 // accounts whose ledger was compared with their balance
	LedgerDrift                    // differences between such a ledger and its balance
	Leftovers                      // items with results that no show points to, which an audit deleted
	NamesHidden                    // entries from which an audit removed the name of a deleted player
	OldestUnfinished               // the age of the oldest unfinished refunds, renaming or deletion, in seconds
	OldestOverdue                  // the time since the oldest show that waits for its judging closed, in seconds
	OldestUnfolded                 // the time since the oldest update of standings was due that has not ended, in seconds
	SyntheticPlays                 // runs of the synthetic player without a failed call, or with a closed API
	TurnedAway                     // 503 answers while an operator has closed the API
	Busy                           // 503 answers because the table throttled a player's read for too long
	Gate                           // the gate (counter shard) of the show that counts the entry, from 1
	count
)

// names holds the figures' names. The alarms in template.yaml and queries of the log use them, so they must not change.
var names = [count]string{
	"Faults", "ColdStarts", "Refusals", "RefreshRefusals", "Attempts", "Conflicts", "Retries", "Leases", "DamagedShows",
	"GoldPaid", "GoldCharged", "Entries", "JudgedEntries", "JudgingDuration", "EarlyJudgings", "KeysUnparsable", "LedgersAudited",
	"LedgerDrift", "Leftovers", "NamesHidden", "OldestUnfinished", "OldestOverdue", "OldestUnfolded", "SyntheticPlays", "TurnedAway", "Busy", "gate",
}

// String returns the figure's name in log lines and metrics.
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

// New returns a context with a new tally, and the tally. Add counts in it if it gets this context, or a derived one.
func New(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, contextKey{}, t), t
}

// Add adds n to a figure of the context's tally. If the context has no tally, as in operators' tools, Add does nothing.
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

// Each calls visit with every figure that is not 0 or is in always, in the order of the constants.
func (t *Tally) Each(visit func(f Figure, n int64), always ...Figure) {
	for f := range count {
		if n := t.Get(f); n != 0 || slices.Contains(always, f) {
			visit(f, n)
		}
	}
}
