package main

import (
	"math"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/costs"
)

// byHand has units for easy computations: a session is eight calls of 8 RCU and 1 WCU, one of them a judging of a
// hundredth.
func byHand() *unitCosts {
	c := &unitCosts{all: map[string]costs.Operation{}, board: 3, gateRange: 1, entry: 0.05, animal: 1, seconds: 0.140}
	for _, step := range costs.Session {
		c.all[step.Operation] = costs.Operation{RoundTrips: 1, RCU: 8, WCU: 1}
	}
	return c
}

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// TestUses computes flat days by hand, limit by limit. For the uses, 864,000 players who come once are ten sessions a
// second. Two shows are open, and one has two thirds of all entries: 576,000 in the last second. For the breaks, there
// is one show, which grows.
func TestUses(t *testing.T) {
	two := day{sessions: 1, playersPerShow: 432_000, popularity: 1, hottestTier: 0.5}
	one := two
	one.playersPerShow = math.Inf(1)
	limits := two.limits(byHand())
	for i, want := range []struct {
		name         string
		used, breaks float64 // 0: not computed by hand
	}{
		{"Lambda's answer of 6 MB", 576_000.0 / 45_000, 45_000},
		{"The most popular show's partitions", 10 * 2.0 / 3 * (576_000 * 0.05 / 4) / 3_000, math.Sqrt(3_000 * 86_400 * 4 / 0.05)},
		{"The most popular show's judging", 576_000.0 / 170_000, 170_000},
		{"The most popular show's gates", 10 * 2.0 / 3 / (16.0 / 3 / 0.012), 16.0 / 3 / 0.012 * 86_400},
		{"The most popular show's item", 3 * 10 * 2.0 / 3 / 3_000, 0},
		{"The hottest tier's shards: entries", 10 * 0.5 * 2 / 4 / 1_000, 0},
		{"The hottest tier's shards: lists", 10.0 / 3_000, 0},
		{"The board of all shows: lists", 10.0 * 3 / 3_000, 0},
		{"The active season", 10.0 / 3_000, 0},
		{"The table's read units", 10 * (7.01*8 + (4.0/9+1.0/9)*864_000*0.05) / 40_000, math.Sqrt(40_000 * 86_400 / 0.05)},
		{"The table's write units", 10 * 7.01 / 40_000, 0},
		{"Lambda's concurrent executions", 10 * 0.140 / 1_000, 0},
		{"API Gateway's calls", 10 * 7.01 / 10_000, 0},
	} {
		l := limits[i]
		if used := two.worst(l, two.curve(), 864_000); !strings.HasPrefix(l.name, want.name) || !near(used, want.used, 1e-6) {
			t.Errorf("%s: %g, want %s %g", l.name, used, want.name, want.used)
		}
		if players := one.breaks(l, one.curve()); want.breaks > 0 && !near(players, want.breaks, 0.01) {
			t.Errorf("%s breaks at %.0f, want %.0f", l.name, players, want.breaks)
		}
	}
	if len(limits) != 13 {
		t.Errorf("%d limits, want 13", len(limits))
	}
}

func TestCurve(t *testing.T) {
	for peaked, most := range map[int]float64{0: 1, 1: 2, 2: 8.0 / 3, 3: 3.2} {
		sum, peak := 0.0, 0.0
		for _, c := range (day{peaked: peaked}).curve() {
			sum += c
			peak = max(peak, c)
		}
		if !near(sum, secondsOfDay, 1e-9) || !near(peak, most, 1e-9) {
			t.Errorf("to the power of %d: a mean of %f, a peak of %f, want %f", peaked, sum/secondsOfDay, peak, most)
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct{ playersPerShow, popularity, players, top, squared float64 }{
		{100, 1, 300, 6.0 / 11, (36 + 9 + 4) / 121.0},
		{100, 0, 400, 0.25, 0.25},
		// Beyond the ranks that are summed: H(100,000), and the sum of its squares.
		{1, 1, 100_000, 1 / 12.0901461, 0.01125258},
	} {
		if top, squared := (day{playersPerShow: c.playersPerShow, popularity: c.popularity}).shares(c.players); !near(top, c.top, 1e-6) || !near(squared, c.squared, 1e-4) {
			t.Errorf("%+v: %f, %f", c, top, squared)
		}
	}
}
