// Package tally adds up what answering one request took, so that the request's one line in the log can say so: trouble
// shows there before it is an outage.
package tally

import (
	"context"
	"sync/atomic"
)

// Figure is one of the numbers that are added up.
type Figure int

// The figures.
const (
	Attempts  Figure = iota // how often a write was sent to the table, repetitions included
	Conflicts               // how often another write came in between: one under way, or one since the reads
	Retries                 // how often a request failed in passing: throttling, a server's error, a lost answer
	Seals                   // how often a judging asked entries to wait
	Damaged                 // how many shows were listed without all of their gates
	count
)

var names = [count]string{"attempts", "conflicts", "retries", "seals", "damaged"}

// String returns the figure's name in the log.
func (f Figure) String() string { return names[f] }

// Tally holds the figures of one request. It may be used by several goroutines.
type Tally struct{ figures [count]atomic.Int64 }

type contextKey struct{}

// New returns a context in which Add adds to the tally that it returns, too.
func New(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	return context.WithValue(ctx, contextKey{}, t), t
}

// Add adds one to a figure of the context's tally. Without one it does nothing: operators' tools keep none.
func Add(ctx context.Context, f Figure) {
	if t, ok := ctx.Value(contextKey{}).(*Tally); ok {
		t.figures[f].Add(1)
	}
}

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
