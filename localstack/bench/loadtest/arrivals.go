package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// arriving is for how many seconds entrants come.
const arriving = 10

// arrived is what became of those who came to one show.
type arrived struct {
	answers          *answers
	attempts         float64 // for each entry
	written          float64 // units for each entry
	throttled, wrong int     // attempts; counters
}

// arrivals: so many a second enter a show as it is made by default. Conflicts go by how often a gate is asked for while
// it is held, and holds are not scaled: at a scale of 4 a quarter of the arrivals meets a quarter of the gates, so that
// each gate has as many as at full size. The table's units are divided as always.
func arrivals(ctx context.Context, b *bench, scale float64) (findings, error) {
	shown := report.Table{Header: []string{"#Arrivals a second", "#entries", "Answers", "#attempts per entry", "#WCU per entry", "#throttled", "#half within", "#99 % within", "#the last after", "Counters", "#99 % of the calls began late by"}}
	var goals []goal
	for _, rate := range []int{100, 200, 300} {
		a, err := b.arrive(ctx, scale, float64(rate), arriving)
		if err != nil {
			return findings{}, err
		}
		p99, counters := a.answers.within(0.99), "exact"
		if a.wrong > 0 {
			counters = fmt.Sprintf("%d wrong", a.wrong)
		}
		entries := a.answers.count(entered)
		shown.Add(rate, entries, a.answers, fmt.Sprintf("%.2f", a.attempts), fmt.Sprintf("%.1f", a.written), a.throttled,
			milliseconds(a.answers.within(0.5)), milliseconds(p99), milliseconds(a.answers.within(1)), counters, milliseconds(percentile(a.answers.late, 0.99)))
		goals = append(goals, goal{
			fmt.Sprintf("%d arrivals a second at one show made without `--gates`", rate), "attempts below 1.5 per entry, p99 below 0.5 s, every counter exact",
			fmt.Sprintf("%s, %.2f attempts, p99 %s, counters %s", a.answers, a.attempts, milliseconds(p99), counters),
			entries == len(a.answers.took) && a.attempts < 1.5 && p99 < 500*time.Millisecond && a.wrong == 0,
		})
	}
	return findings{goals, map[string]report.Table{"arrivals": shown}}, nil
}

// arrive lets players enter one show, so many a second at full size.
func (b *bench) arrive(ctx context.Context, scale, rate, seconds float64) (*arrived, error) {
	gates := max(1, int(math.Round(store.DefaultGates/scale)))
	scale = store.DefaultGates / float64(gates)
	rate /= scale
	processes := int(math.Ceil(fullProcesses / scale))
	f, err := b.fair(ctx, scale, processes)
	if err != nil {
		return nil, err
	}
	defer f.close()
	show, err := f.show(ctx, "The Crowded Show", game.TierRookie, time.Hour, gates)
	if err != nil {
		return nil, err
	}
	n := int(rate * seconds)
	players, err := f.register(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := f.warmUp(ctx, players[0], processes, "POST", nothing+"/enter"); err != nil {
		return nil, err
	}
	f.stack.Limits.Reset()
	a := &arrived{}
	a.answers, err = openLoop(ctx, n, rate, func(ctx context.Context, i int) (answer, error) { return f.enter(ctx, players[i], show, 0) })
	if err != nil {
		return nil, err
	}
	writes, all := f.stack.Limits.Snapshot().Of("TransactWriteItems"), f.of("entrant")
	entries := a.answers.count(entered)
	if entries > 0 {
		a.attempts, a.written = float64(writes.Requests)/float64(entries), all.Written/float64(entries)
	}
	a.throttled = all.Throttled
	a.wrong, err = f.wrongCounters(ctx, players, show, entries)
	b.tell("%.0f arrivals a second: %s, %.2f attempts per entry, half within %s, 99 %% within %s", rate*scale, a.answers, a.attempts,
		milliseconds(a.answers.within(0.5)), milliseconds(a.answers.within(0.99)))
	return a, err
}

// fullProcesses are enough for 300 arrivals a second, of which a dozen are under way at a time. All of them are there
// from the beginning: on a machine where each start takes from all others, starts would bring more starts.
const fullProcesses = 48

// wrongCounters returns how many counters are not what the accepted entries make them: the show's in the list and in
// its own list, and the players' gold.
func (f *fair) wrongCounters(ctx context.Context, players []player, show game.Show, accepted int) (wrong int, err error) {
	inList, inShow, err := f.entriesOf(ctx, players[0], show)
	if err != nil {
		return 0, err
	}
	for _, count := range []int{inList, inShow} {
		if count != accepted {
			wrong++
		}
	}
	gold := int64(0)
	err = f.store.EachAccount(ctx, func(a game.Account) error {
		gold += a.GoldBalance
		return nil
	})
	if err != nil {
		return 0, err
	}
	if gold != int64(len(players))*game.StartingGold-int64(accepted)*show.EntryFee {
		wrong++
	}
	return wrong, nil
}
