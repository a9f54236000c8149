package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// arriving is the time, in seconds, for which players arrive.
const arriving = 10

// arrived is the outcome of arrivals at one show.
type arrived struct {
	answers          *answers
	attempts         float64 // of transactions, for each entry
	written          float64 // write units for each entry
	throttled, wrong int     // the numbers of throttled requests and of wrong counters
}

// arrivals measures players who enter one show with the default settings, at several rates. Conflicts depend on the
// requests that reach a gate (a counter of entries) while a transaction locks it. The scale does not shorten this lock.
// So at a scale of 4, a quarter of the players shares a quarter of the gates, and each gate gets as many players as at
// full size. The scale divides the table's units as in every scene.
func arrivals(ctx context.Context, b *bench, scale float64) (found findings, err error) {
	found.table.header = []string{"#Arrivals a second", "#entries", "Answers", "#attempts per entry", "#WCU per entry", "#throttled", "#half within", "#99 % within", "#the last after", "Counters", "#99 % of the calls began late by"}
	for _, rate := range []int{100, 200, 300} {
		a, err := b.arrive(ctx, scale, float64(rate), arriving)
		if err != nil {
			return found, err
		}
		p99, counters := a.answers.within(0.99), "exact"
		if a.wrong > 0 {
			counters = fmt.Sprintf("%d wrong", a.wrong)
		}
		entries := a.answers.count(entered)
		found.table.add(rate, entries, a.answers, fmt.Sprintf("%.2f", a.attempts), fmt.Sprintf("%.1f", a.written), a.throttled,
			milliseconds(a.answers.within(0.5)), milliseconds(p99), milliseconds(a.answers.within(1)), counters, milliseconds(percentile(a.answers.late, 0.99)))
		found.goals = append(found.goals, goal{
			fmt.Sprintf("%d arrivals a second at one show made without `--gates`", rate), "attempts below 1.5 per entry, p99 below 0.5 s, every counter exact",
			fmt.Sprintf("%s, %.2f attempts, p99 %s, counters %s", a.answers, a.attempts, milliseconds(p99), counters),
			entries == len(a.answers.took) && a.attempts < 1.5 && p99 < 500*time.Millisecond && a.wrong == 0,
		})
	}
	return found, nil
}

// fullProcesses is the number of processes for 300 arrivals a second. It is more than enough for the dozen requests
// that are under way at a time. All processes run from the beginning, because the start of a process slows the machine
// down, so that requests wait and cause further starts.
const fullProcesses = 48

// arrive lets players enter one show for the given seconds. rate is the number of players a second at full size; arrive
// divides it by the scale. It first adjusts the scale so that the number of gates is whole.
func (b *bench) arrive(ctx context.Context, scale, rate, seconds float64) (*arrived, error) {
	gates := max(1, int(math.Round(store.DefaultGates/scale)))
	scale = store.DefaultGates / float64(gates)
	rate /= scale
	n, processes := int(rate*seconds), int(math.Ceil(fullProcesses/scale))
	f, err := b.fair(ctx, plan{scale: scale, processes: processes, gates: gates, players: n, warm: map[string]int{"POST /enter": processes}})
	if err != nil {
		return nil, err
	}
	defer f.close()
	a := &arrived{}
	a.answers, err = openLoop(ctx, n, rate, func(ctx context.Context, i int) (answer, error) { return f.enter(ctx, f.players[i]) })
	if err != nil {
		return nil, err
	}
	writes, all := f.Stack.Limits.Snapshot().Of("TransactWriteItems"), f.of("entrant")
	entries := a.answers.count(entered)
	if entries > 0 {
		a.attempts, a.written = float64(writes.Requests)/float64(entries), all.Written/float64(entries)
	}
	a.throttled = all.Throttled
	a.wrong, err = f.wrongCounters(ctx, entries)
	b.tell("%.0f arrivals a second: %s, %.2f attempts per entry, half within %s, 99 %% within %s", rate*scale, a.answers, a.attempts,
		milliseconds(a.answers.within(0.5)), milliseconds(a.answers.within(0.99)))
	return a, err
}

// wrongCounters returns how many of three counters do not match the number of accepted entries. These are the show's
// count in the list of shows, the show's own list of entries, and the gold that all players have paid.
func (f *fair) wrongCounters(ctx context.Context, accepted int) (wrong int, err error) {
	inList, inShow, _, err := f.entries(ctx)
	if err != nil {
		return 0, err
	}
	gold := int64(0)
	err = f.Store.EachAccount(ctx, func(a game.Account) error {
		gold += a.GoldBalance - game.StartingGold
		return nil
	})
	for _, right := range []bool{inList == accepted, inShow == accepted, gold == -int64(accepted)*f.show.EntryFee} {
		if !right {
			wrong++
		}
	}
	return wrong, err
}
