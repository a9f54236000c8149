package million

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/costs"
)

// byHand are units that are easily reckoned with: a session is eight calls of 8 RCU and 1 WCU, one of them a judging of
// a hundredth.
func byHand() *Costs {
	c := &Costs{all: map[string]costs.Operation{}, Board: 3, GateRange: 1, Entry: 0.05, Animal: 1}
	for _, step := range costs.Session {
		c.all[step.Operation] = costs.Operation{RoundTrips: 1, RCU: 8, WCU: 1}
	}
	return c
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Abs(want) }

// TestUses reckons a flat day by hand: 864,000 players who come once are ten sessions a second. Two shows are open, of
// which one has two thirds of all entries: 576,000 in the end.
func TestUses(t *testing.T) {
	day := Day{Sessions: 1, Peaked: 0, PlayersPerShow: 432_000, Popularity: 1, HottestTier: 0.5}
	want := map[string]float64{
		"Lambda's answer of 6 MB":            576_000.0 / 45_000,
		"The most popular show's partitions": 10 * 2.0 / 3 * (576_000 * 0.05 / 4) / 3_000, // in the last second
		"The most popular show's judging":    576_000.0 / 170_000,
		"The most popular show's gates":      10 * 2.0 / 3 / (16.0 / 3 / 0.012),
		"The most popular show's item":       3 * 10 * 2.0 / 3 / 3_000,
		"The hottest tier's shards: entries": 10 * 0.5 * 2 / 4 / 1_000,
		"The hottest tier's shards: lists":   10.0 / 3_000,
		"The board of all shows: lists":      10.0 * 3 / 3_000,
		"The active season":                  10.0 / 3_000,
		"The table's read units":             10 * (7.01*8 + (4.0/9+1.0/9)*864_000*0.05) / 40_000,
		"The table's write units":            10 * 7.01 / 40_000,
		"Lambda's concurrent executions":     10 * 7.01 * 0.020 / 1_000,
		"API Gateway's calls":                10 * 7.01 / 10_000,
	}
	uses := day.Uses(byHand(), 864_000)
	if len(uses) != len(want) {
		t.Errorf("%d limits, want %d", len(uses), len(want))
	}
	for _, use := range uses {
		found := false
		for name, of := range want {
			if strings.HasPrefix(use.Limit, name) {
				found = true
				if math.Abs(use.Of-of) > 1e-6*of {
					t.Errorf("%s: %g, want %g", use.Limit, use.Of, of)
				}
			}
		}
		if !found {
			t.Errorf("%s is not reckoned by hand", use.Limit)
		}
	}
}

// TestBreaks: on a flat day with one show, its answer is too large at 45,000 players, its judging at 170,000, and so on
// by what they take at ten sessions a second.
func TestBreaks(t *testing.T) {
	day := Day{Sessions: 1, Peaked: 0, PlayersPerShow: math.Inf(1), Popularity: 1, HottestTier: 0.5}
	breaks := day.Breaks(byHand())
	for i, want := range []struct {
		name    string
		players float64
	}{
		{"Lambda's answer", 45_000},
		{"The most popular show's judging", 170_000},
		// The square root of 3,000 units of 86,400 seconds, four partitions and 20 entries to a unit.
		{"The table's read units", math.Sqrt(40_000 * 86_400 / 0.05)},
		{"The most popular show's partitions", math.Sqrt(3_000 * 86_400 * 4 / 0.05)},
		{"The most popular show's gates", 16.0 / 3 / 0.012 * 86_400},
	} {
		at := -1
		for k, b := range breaks {
			if strings.HasPrefix(b.Limit, want.name) {
				at = k
			}
		}
		if at < 0 || math.Abs(breaks[at].Players/want.players-1) > 0.01 {
			t.Errorf("%s: %+v, want %.0f", want.name, breaks, want.players)
		}
		if i == 0 && at != 0 {
			t.Errorf("%s is not the first", want.name)
		}
	}
}

func TestCurve(t *testing.T) {
	for peaked, most := range map[int]float64{0: 1, 1: 2, 2: 8.0 / 3, 3: 3.2} {
		sum, peak := 0.0, 0.0
		for _, c := range (Day{Peaked: peaked}).curve() {
			sum += c
			peak = max(peak, c)
		}
		if !near(sum, secondsOfDay) || !near(peak, most) {
			t.Errorf("to the power of %d: a mean of %f, a peak of %f, want %f", peaked, sum/secondsOfDay, peak, most)
		}
	}
}

func TestShares(t *testing.T) {
	if top, squared := (Day{PlayersPerShow: 100, Popularity: 1}).shares(300); !near(top, 6.0/11) || !near(squared, (36+9+4)/121.0) {
		t.Errorf("of three shows: %f, %f", top, squared)
	}
	if top, squared := (Day{PlayersPerShow: 100}).shares(400); !near(top, 0.25) || !near(squared, 0.25) {
		t.Errorf("of four alike: %f, %f", top, squared)
	}
	// Beyond the ranks that are added up: H(100,000) is 12.0901.
	if top, _ := (Day{PlayersPerShow: 1, Popularity: 1}).shares(100_000); math.Abs(1/top-12.0901) > 0.0001 {
		t.Errorf("of 100,000 shows: %f", 1/top)
	}
}

// The real page has all the units that the ceilings and the day go by.
func TestReadCosts(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCosts(string(page))
	if err != nil || c.Board < 1 || c.GateRange < 1 || c.Entry < 0.02 || c.Entry > 0.2 || c.Animal < 1 || judgeable(c) != packed {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, err := ReadCosts(strings.ReplaceAll(string(page), "| listAnimals |", "| beasts |")); err == nil || !strings.Contains(err.Error(), `"listAnimals"`) {
		t.Errorf("without a call: %v", err)
	}
}
