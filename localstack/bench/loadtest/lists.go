package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

var tiers = []string{game.TierRookie, game.TierPro, game.TierElite}

// page is how many shows a list has.
const page = 50

// lists is how often a list is read whose costs are measured: the most that it cost is what counts.
const lists = 20

// addShows creates n shows of all tiers in turn, from the number first on, which close one after the other.
func (f *fair) addShows(ctx context.Context, first, n, gates int) ([]game.Show, error) {
	shows := make([]game.Show, n)
	return shows, f.inLayers(ctx, "shows", n, func(ctx context.Context, i int) error {
		var err error
		closes := time.Hour + time.Duration(first+i)*time.Minute
		shows[i], err = f.show(ctx, "The Grand Show of the Whole County", tiers[(first+i)%len(tiers)], closes, gates)
		return err
	})
}

// costOfList reads a full list several times, and returns the most that one took.
func (f *fair) costOfList(ctx context.Context, p player, query string) (capacity.Counts, *answers, error) {
	most, got := capacity.Counts{}, &answers{}
	for range lists {
		f.stack.Limits.Reset()
		shows, a, err := f.list(ctx, p, query)
		if err != nil {
			return most, got, err
		}
		if len(shows) != page {
			return most, got, fmt.Errorf("a list of %d shows", len(shows))
		}
		got.add(a.Status, a.took)
		one := f.of("list")
		most.Requests, most.Read, most.Throttled = max(most.Requests, one.Requests), math.Max(most.Read, one.Read), most.Throttled+one.Throttled
	}
	return most, got, nil
}

// What a list of fifty open shows may cost, in read units.
const (
	mostOfATier = 12
	mostOfAll   = 20
)

// listAtAnySize: what a list costs does not go by how many shows there are. Those that no page reaches have one gate
// each, since they are laid out faster so.
func listAtAnySize(ctx context.Context, b *bench, scale float64) (findings, error) {
	f, err := b.fair(ctx, 1, 1) // one reader alone meets no limit: only the shows are scaled
	if err != nil {
		return findings{}, err
	}
	defer f.close()
	players, err := f.register(ctx, 1)
	if err != nil {
		return findings{}, err
	}
	shown := report.Table{Header: []string{"#Open shows", "List", "#RCU", "#requests", "Answers", "#half within"}}
	const few = 150 // two pages and more of all, and one of each tier
	many := int(100_000 / scale)
	var units [][]float64
	for _, size := range []int{few, many} {
		first, gates := 0, store.DefaultGates
		if len(units) > 0 {
			first, gates = few, 1
		}
		if _, err := f.addShows(ctx, first, size-first, gates); err != nil {
			return findings{}, err
		}
		var own []float64
		for _, query := range []string{"tier=rookie", "status=open", "status="} {
			cost, got, err := f.costOfList(ctx, players[0], query)
			if err != nil {
				return findings{}, err
			}
			own = append(own, cost.Read, float64(cost.Requests))
			shown.Add(size, "`"+query+"`", number(cost.Read), cost.Requests, got, milliseconds(got.within(0.5)))
		}
		units = append(units, own)
	}
	same := fmt.Sprint(units[0]) == fmt.Sprint(units[1]) && units[1][0] <= mostOfATier && units[1][2] <= mostOfAll
	return findings{
		[]goal{{
			fmt.Sprintf("List at %d shows and at %d", few, many), fmt.Sprintf("the same units and requests, at most %d RCU of one tier and %d of all", mostOfATier, mostOfAll),
			fmt.Sprintf("RCU and requests of one tier, open, all: %v and %v", units[0], units[1]), same,
		}},
		map[string]report.Table{"list-at-any-size": shown},
	}, nil
}
