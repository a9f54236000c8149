package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/records"
)

// arrivals measures players who enter one show with the default settings, at several rates. Conflicts depend on the
// requests that reach a gate (a counter of entries) while a transaction locks it. The scale does not shorten this lock.
// So at a scale of 4, a quarter of the players shares a quarter of the gates, and each gate gets as many players as at
// full size. The scale divides the table's units as in every scene.
func arrivals(ctx context.Context, b *bench) (string, error) {
	const scale, seconds = 4, 10
	var table strings.Builder
	table.WriteString("| Arrivals a second | Answers | attempts per entry | WCU per entry | half within " +
		"| 99 % within | Goal reached |\n" +
		"|---:|---|---:|---:|---:|---:|---|\n")
	for _, rate := range []float64{100, 200, 300} {
		a, err := b.arrive(ctx, scale, rate/scale, seconds)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&table, "| %.0f | %s | %.2f | %.1f | %v | %v | %s |\n",
			rate, a.answers, a.attempts, a.written, a.answers.within(0.5), a.answers.within(0.99),
			reached(a.answers.all(http.StatusCreated) && a.attempts < 1.5 && a.answers.within(0.99) < 500*time.Millisecond))
	}
	return table.String(), nil
}

// arrived is the outcome of arrivals at one show.
type arrived struct {
	answers  *answers
	attempts float64 // of transactions, for each entry
	written  float64 // write units for each entry
}

// fullProcesses is the number of processes for 300 arrivals a second at full size. It is more than enough for the dozen
// requests that are under way at a time. All processes run from the beginning, because the start of a process slows the
// machine down, so that requests wait and cause further starts.
const fullProcesses = 48

// arrive lets players enter one show at the given rate a second, for the given seconds.
func (b *bench) arrive(ctx context.Context, scale, rate, seconds float64) (*arrived, error) {
	n, processes := int(rate*seconds), int(math.Ceil(fullProcesses/scale))
	f, err := b.fair(ctx, plan{
		scale: scale, processes: processes, gates: int(records.DefaultGates / scale), players: n,
		warm: map[string]int{"/enter": processes},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	got, err := openLoop(ctx, n, rate, func(ctx context.Context, i int) (answer, error) {
		return f.enter(ctx, f.players[i])
	})
	if err != nil {
		return nil, err
	}
	writes, entries := f.limits.Counts("", "TransactWriteItems"), got.statuses[http.StatusCreated]
	each := 1 / float64(max(1, entries))
	return &arrived{got, each * float64(writes.Requests), each * f.limits.Counts("entrant", "").Written}, nil
}
