package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/store"
)

// dailyPlayers is the number of players in the page's day.
const dailyPlayers = 1_000_000

// popularities are the exponents of the shows' popularity on the page: Zipf's in the middle, and a flatter and a
// steeper one.
var popularities = []float64{0.8, 1, 1.2}

// aMillion plays nothing: it computes, with a model of a day, which limits the players of a growing game reach first.
// The units are those of docs/costs.md; day has the other assumptions, and docs/scale.md, too.
func aMillion(_ context.Context, b *bench, _ float64) (findings, error) {
	page, err := os.ReadFile(filepath.Join(b.template.Root, "docs", "costs.md"))
	if err != nil {
		return findings{}, err
	}
	return reckon(string(page), b.template)
}

// reckon uses docs/costs.md and docs/processor.md. It lists the limits in the order in which a growing game reaches
// them, each by itself: as if those before it had been raised.
func reckon(page string, template *samtemplate.Template) (found findings, err error) {
	c, err := readCosts(page, template)
	if err != nil {
		return found, err
	}
	found.table.header = []string{"#No.", "Limit", "#used by 1,000,000 a day"}
	type row struct {
		name   string
		used   float64
		breaks []float64 // players, by popularity
	}
	rows := make([]row, len(usual.limits(c)))
	for _, popularity := range popularities {
		found.table.header = append(found.table.header, fmt.Sprintf("#breaks at (Zipf %.1f)", popularity))
		day := usual
		day.popularity = popularity
		curve := day.curve()
		for i, l := range day.limits(c) {
			rows[i].name = l.name
			rows[i].breaks = append(rows[i].breaks, day.breaks(l, curve))
			if popularity == usual.popularity {
				rows[i].used = day.worst(l, curve, dailyPlayers)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.breaks[1], b.breaks[1]) })
	for i, r := range rows {
		cells := []any{i + 1, r.name, percent(r.used)}
		for _, players := range r.breaks {
			cells = append(cells, thousands(players))
		}
		found.table.add(cells...)
	}
	return found, nil
}

// thousands rounds a number to two digits, since a model has no more, and sets commas.
func thousands(f float64) string {
	digits := math.Pow(10, math.Floor(math.Log10(f))-1)
	text := fmt.Sprintf("%.0f", math.Round(f/digits)*digits)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// fresh has the units of a partition and of a new table, and the time of a transaction's hold.
var fresh = capacity.Fresh()

// The default quotas of an account in a region, which AWS raises on request: of DynamoDB for an on-demand table, of
// Lambda, and of API Gateway. The largest answer of a function is fixed.
const (
	tableRead     = 40_000 // units a second
	tableWrite    = 40_000 // units a second
	concurrency   = 1_000  // concurrent calls
	gatewayRate   = 10_000 // calls a second
	largestAnswer = 6 << 20
)

// Numbers of the layout (docs/adr/0005-gates-and-score-sheets.md), and their consequences.
const (
	shards    = 4 // of a tier's gates
	parts     = 4 // of a show's entries and receipts
	gateWrite = 2 // write units of an entry in its gate's shard
	// busy is the share of the time for which a gate may be held: one entry in three then meets another one.
	busy = 1.0 / 3
	// zipped is the bytes of an entry in an answer, compressed: 45,000 entries are 6 MB.
	zipped = float64(largestAnswer) / 45_000
	// packed is the most entries of a judging's transaction, by its limit of 4 MB.
	packed = 170_000
	// judgeTime is how many seconds a judging may read, of its function's 28.
	judgeTime = 25.0
)

// unitCosts are the read units for the limits.
type unitCosts struct {
	all map[string]costs.Operation

	board     float64 // of a page of a board
	gateRange float64 // of a page's gates in each shard
	entry     float64 // of an entry in a show's detail
	animal    float64 // of an entry in a judging

	seconds float64 // of a session in Lambda
}

// readCosts takes the units from docs/costs.md.
func readCosts(page string, template *samtemplate.Template) (*unitCosts, error) {
	all, err := costs.Read(page)
	if err != nil {
		return nil, err
	}
	need := func(name string) costs.Operation {
		o, there := all[name]
		if !there && err == nil {
			err = fmt.Errorf("docs/costs.md has no %q", name)
		}
		return o
	}
	c := &unitCosts{all: all, board: need("listShows (50 completed)").RCU}
	c.gateRange = (need("listShows (50 open, by tier)").RCU - c.board) / shards
	c.entry = (need("getShow (100 entries, open)").RCU - 2) / 100 // without the show's item and its one gate
	c.animal = need("judgeShow (10,000 entries)").RCU / 10_000
	lines, monthErr := costs.Month(all, template, 1)
	if err := errors.Join(err, monthErr); err != nil {
		return nil, err
	}
	for i, step := range costs.Session {
		c.seconds += step.Calls * lines[i].Seconds
	}
	return c, nil
}

// judgeable returns the most entries of a judging.
func (c *unitCosts) judgeable() float64 { return min(packed, judgeTime*fresh.TableRead/c.animal) }

// day is the model of a day. A session is the one of localstack/bench/costs.
type day struct {
	sessions       float64 // of each player
	peaked         int     // the sharpness of the evening's peak: a curve of ((1 + cos) / 2) to this power; 0 is flat
	playersPerShow float64 // on average; it determines how many shows are open, each for this day
	popularity     float64 // the show of rank r has a share of entries and views as 1 / r to this power (Zipf)
	hottestTier    float64 // its share of the entries
}

// usual is the page's day: the busiest second has 2.7 times the mean.
var usual = day{sessions: 1, peaked: 2, playersPerShow: costs.EntriesPerShow, popularity: 1, hottestTier: 0.5}

const secondsOfDay = 86_400

// curve returns how many sessions begin in each second of the day, for a mean of one.
func (d day) curve() []float64 {
	mean := 1.0 // of ((1 + cos) / 2)^n, which is (2n choose n) / 4^n
	for n := 1; n <= d.peaked; n++ {
		mean *= float64(2*n-1) / float64(2*n)
	}
	curve := make([]float64, secondsOfDay)
	for second := range curve {
		angle := 2 * math.Pi * float64(second) / secondsOfDay
		curve[second] = math.Pow((1-math.Cos(angle))/2, float64(d.peaked)) / mean
	}
	return curve
}

// shares returns the most popular show's share of all entries and views, and the sum of all shows' squared shares: the
// expected share of a day's entries in a viewed show.
func (d day) shares(players float64) (top, squared float64) {
	shows := max(1, math.Round(players/d.playersPerShow))
	sum := powers(shows, d.popularity)
	return 1 / sum, powers(shows, 2*d.popularity) / (sum * sum)
}

// powers returns the sum of r to the power of -e for r from 1 to n, beyond exactRanks by an integral.
func powers(n, e float64) float64 {
	sum := 0.0
	for rank := 1.0; rank <= min(n, exactRanks); rank++ {
		sum += math.Pow(rank, -e)
	}
	if from, to := exactRanks+0.5, n+0.5; n > exactRanks {
		if e == 1 {
			return sum + math.Log(to/from)
		}
		sum += (math.Pow(to, 1-e) - math.Pow(from, 1-e)) / (1 - e)
	}
	return sum
}

const exactRanks = 1_000

// moment is a second of a day.
type moment struct {
	sessions     float64 // that begin
	entries      float64 // made today
	top, squared float64 // as in shares
}

// worst plays a day second by second, and returns the share of a limit that the worst second uses.
func (d day) worst(l limit, curve []float64, players float64) (worst float64) {
	var m moment
	m.top, m.squared = d.shares(players)
	for _, c := range curve {
		m.sessions = c * players * d.sessions / secondsOfDay
		m.entries += m.sessions
		worst = max(worst, l.use(m))
	}
	return worst
}

// The search for breaks ends at this number of players.
const mostPlayers = 1e10

// breaks returns the least number of daily players for which a limit is too small, with an error of two in a thousand.
func (d day) breaks(l limit, curve []float64) float64 {
	low, high := 1.0, mostPlayers
	for high/low > 1.002 {
		if middle := math.Sqrt(low * high); d.worst(l, curve, middle) >= 1 {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// limit is a limited resource.
type limit struct {
	name string
	use  func(m moment) float64 // the share of it that a second uses
}

// limits returns all limits of a day. Each session makes an entry, and reads the show that it enters.
func (d day) limits(c *unitCosts) []limit {
	calls, read, written := 0.0, 0.0, 0.0
	for _, step := range costs.Session {
		o := c.all[step.Operation]
		calls += step.Calls
		read += step.Calls * o.RCU
		written += step.Calls * o.WCU
	}
	entriesOfAShow := store.DefaultGates * busy / fresh.Hold.Seconds() // a second
	return []limit{
		{"Lambda's answer of 6 MB: the detail of the most popular show", func(m moment) float64 {
			return m.top * m.entries * zipped / largestAnswer
		}},
		{"The most popular show's partitions: views of its entries", func(m moment) float64 {
			return m.sessions * m.top * (m.top * m.entries * c.entry / parts) / fresh.PartitionRead
		}},
		{"The most popular show's judging: what a transaction holds, what 25 s read", func(m moment) float64 {
			return m.top * m.entries / c.judgeable()
		}},
		{"The most popular show's gates: entries that meet", func(m moment) float64 { return m.sessions * m.top / entriesOfAShow }},
		{"The most popular show's item: views, entries, claims", func(m moment) float64 { return 3 * m.sessions * m.top / fresh.PartitionRead }},
		{"The hottest tier's shards: entries", func(m moment) float64 {
			return m.sessions * d.hottestTier * gateWrite / shards / fresh.PartitionWrite
		}},
		{"The hottest tier's shards: lists", func(m moment) float64 { return m.sessions * c.gateRange / fresh.PartitionRead }},
		{"The board of all shows: lists", func(m moment) float64 { return m.sessions * c.board / fresh.PartitionRead }},
		{"The active season", func(m moment) float64 { return m.sessions / fresh.PartitionRead }},
		{"The table's read units", func(m moment) float64 {
			views := m.squared * m.entries * c.entry // on average
			return m.sessions * (read + views) / tableRead
		}},
		{"The table's write units", func(m moment) float64 { return m.sessions * written / tableWrite }},
		{"Lambda's concurrent executions", func(m moment) float64 { return m.sessions * c.seconds / concurrency }},
		{"API Gateway's calls", func(m moment) float64 { return m.sessions * calls / gatewayRate }},
	}
}
