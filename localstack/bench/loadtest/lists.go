package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/dynamo/limits"
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
func (f *fair) costOfList(ctx context.Context, p player, query string) (limits.Counts, *answers, error) {
	most, got := limits.Counts{}, &answers{}
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

// listOfFifty: what a list of open shows costs, and that it is right at once.
func listOfFifty(ctx context.Context, b *bench, scale float64) (findings, error) {
	f, err := b.fair(ctx, scale, 1)
	if err != nil {
		return findings{}, err
	}
	defer f.close()
	shows, err := f.addShows(ctx, 0, 3*page, store.DefaultGates)
	if err != nil {
		return findings{}, err
	}
	players, err := f.register(ctx, lists)
	if err != nil {
		return findings{}, err
	}
	right := 0
	for i, p := range players {
		if a, err := f.enter(ctx, p, shows[i], 0); err != nil || a.Status != entered {
			return findings{}, fmt.Errorf("an entry got %d, %v", a.Status, err)
		}
		listed, _, err := f.list(ctx, p, "status=open")
		if err != nil {
			return findings{}, err
		}
		if listed[i].ID == string(shows[i].ID) && listed[i].EntryCount == 1 {
			right++
		}
	}
	shown := report.Table{Header: []string{"List of 50 open shows", "#RCU", "#requests", "Answers", "#half within"}}
	var goals []goal
	for _, c := range []struct {
		name, query string
		most        float64
	}{{"one tier", "tier=rookie", 12}, {"all tiers", "", 20}} {
		cost, got, err := f.costOfList(ctx, players[0], c.query)
		if err != nil {
			return findings{}, err
		}
		shown.Add(c.name, number(cost.Read), cost.Requests, got, milliseconds(got.within(0.5)))
		goals = append(goals, goal{
			"List of 50 open shows at the default number of gates, " + c.name, fmt.Sprintf("at most %.0f RCU, right at once", c.most),
			fmt.Sprintf("%s RCU; %d of %d counts right in the next list", number(cost.Read), right, len(players)), cost.Read <= c.most && right == len(players),
		})
	}
	return findings{goals, map[string]report.Table{"list-of-fifty": shown}}, nil
}

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
	same := fmt.Sprint(units[0]) == fmt.Sprint(units[1])
	return findings{
		[]goal{{
			fmt.Sprintf("List at %d shows and at %d", few, many), "the same units and requests",
			fmt.Sprintf("RCU and requests of one tier, open, all: %v and %v", units[0], units[1]), same,
		}},
		map[string]report.Table{"list-at-any-size": shown},
	}, nil
}
