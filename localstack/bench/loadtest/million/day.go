package million

import (
	"cmp"
	"math"
	"slices"

	"github.com/ranch-game/ranch/localstack/bench/costs"
)

// Day is what a day of the game is like. A session is the one of localstack/bench/costs.
type Day struct {
	Sessions       float64 // of each player
	Peaked         int     // how sharp the evening is: a curve of ((1 + cos) / 2) to this power; 0 is flat
	PlayersPerShow float64 // on the average, which says how many shows are open, each for this day
	Popularity     float64 // the show of rank r has a share of entries and views as 1 / r to this power (Zipf)
	HottestTier    float64 // its share of the entries
}

// Usual is a day as the page has it: the busiest second has 2.7 times the mean.
var Usual = Day{Sessions: 1, Peaked: 2, PlayersPerShow: costs.EntriesPerShow, Popularity: 1, HottestTier: 0.5}

const secondsOfDay = 86_400

// curve returns how many sessions begin in each second of the day, of a mean of one.
func (d Day) curve() []float64 {
	mean := 1.0 // of ((1 + cos) / 2)^n, which is (2n choose n) / 4^n
	for n := 1; n <= d.Peaked; n++ {
		mean *= float64(2*n-1) / float64(2*n)
	}
	curve := make([]float64, secondsOfDay)
	for second := range curve {
		angle := 2 * math.Pi * float64(second) / secondsOfDay
		curve[second] = math.Pow((1-math.Cos(angle))/2, float64(d.Peaked)) / mean
	}
	return curve
}

// shares returns the most popular show's share of all entries and views, and the sum of all shows' squared shares: what
// share of a day's entries somebody looks at who looks at a show.
func (d Day) shares(players float64) (top, squared float64) {
	shows := max(1, math.Round(players/d.PlayersPerShow))
	sum := powers(shows, d.Popularity)
	return 1 / sum, powers(shows, 2*d.Popularity) / (sum * sum)
}

// powers is the sum of r to the power of -e for r from 1 to n, beyond exactRanks by an integral.
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
	most         float64 // made today when the day is over
	top, squared float64 // as Day.shares has them
}

// Use is a limit, and how much of it the worst second of a day takes, of 1.
type Use struct {
	Limit string
	Of    float64
}

// Uses plays a day second by second.
func (d Day) Uses(c *Costs, players float64) []Use {
	var uses []Use
	curve := d.curve()
	for _, l := range d.limits(c) {
		uses = append(uses, Use{l.name, d.worst(l, curve, players)})
	}
	return uses
}

// worst is what the worst second takes of a limit.
func (d Day) worst(l limit, curve []float64, players float64) float64 {
	m := moment{most: players * d.Sessions}
	m.top, m.squared = d.shares(players)
	worst := 0.0
	for _, c := range curve {
		m.sessions = c * m.most / secondsOfDay
		m.entries += m.sessions
		worst = max(worst, l.use(m))
	}
	return worst
}

// Break is a limit, and the least number of daily players for which it is too small.
type Break struct {
	Limit   string
	Players float64
}

// The search for breaks ends here, where nobody plays any more.
const mostPlayers = 1e10

// Breaks returns the limits in the order in which a growing game reaches them, each by itself: as if those before it
// had been raised. The numbers of players are right to two in a thousand.
func (d Day) Breaks(c *Costs) []Break {
	var breaks []Break
	curve := d.curve()
	for _, l := range d.limits(c) {
		low, high := 1.0, mostPlayers
		for high/low > 1.002 {
			if middle := math.Sqrt(low * high); d.worst(l, curve, middle) >= 1 {
				high = middle
			} else {
				low = middle
			}
		}
		breaks = append(breaks, Break{l.name, high})
	}
	slices.SortStableFunc(breaks, func(a, b Break) int { return cmp.Compare(a.Players, b.Players) })
	return breaks
}

// limit is something that has an end.
type limit struct {
	name string
	use  func(m moment) float64 // how much of it a second takes, of 1
}

// limits returns all limits of a day. Each session makes an entry, and looks at the show that it enters.
func (d Day) limits(c *Costs) []limit {
	calls, seconds, read, written := 0.0, 0.0, 0.0, 0.0
	for _, step := range costs.Session {
		o := c.all[step.Operation]
		calls += step.Calls
		seconds += step.Calls * o.Seconds()
		read += step.Calls * o.RCU
		written += step.Calls * o.WCU
	}
	return []limit{
		{"Lambda's answer of 6 MB: the detail of the most popular show", func(m moment) float64 {
			return m.top * m.entries * zipped / largestAnswer
		}},
		{"The most popular show's partitions: views of its entries", func(m moment) float64 {
			return m.sessions * m.top * (m.top * m.entries * c.Entry / parts) / fresh.PartitionRead
		}},
		{"The most popular show's judging: what a transaction holds, what 25 s read", func(m moment) float64 {
			return m.top * m.entries / judgeable(c)
		}},
		{"The most popular show's gates: entries that meet", func(m moment) float64 { return m.sessions * m.top / entriesOfAShow() }},
		{"The most popular show's item: views, entries, claims", func(m moment) float64 { return 3 * m.sessions * m.top / fresh.PartitionRead }},
		{"The hottest tier's shards: entries", func(m moment) float64 {
			return m.sessions * d.HottestTier * gateWrite / shards / fresh.PartitionWrite
		}},
		{"The hottest tier's shards: lists", func(m moment) float64 { return m.sessions * c.GateRange / fresh.PartitionRead }},
		{"The board of all shows: lists", func(m moment) float64 { return m.sessions * c.Board / fresh.PartitionRead }},
		{"The active season", func(m moment) float64 { return m.sessions / fresh.PartitionRead }},
		{"The table's read units", func(m moment) float64 {
			views := m.squared * m.entries * c.Entry // on the average
			return m.sessions * (read + views) / tableRead
		}},
		{"The table's write units", func(m moment) float64 { return m.sessions * written / tableWrite }},
		{"Lambda's concurrent executions", func(m moment) float64 { return m.sessions * seconds / concurrency }},
		{"API Gateway's calls", func(m moment) float64 { return m.sessions * calls / gatewayRate }},
	}
}

// entriesOfAShow is how many entries a second one show takes.
func entriesOfAShow() float64 { return gates * busy / fresh.Hold.Seconds() }

// judgeable is how many entries a judging can have.
func judgeable(c *Costs) float64 { return min(packed, judgeTime*fresh.TableRead/c.Animal) }
