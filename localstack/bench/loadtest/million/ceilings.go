// Package million reckons on paper how far the service goes: for each call the hottest thing that it needs and the
// ceiling which follows from that, and, by a model of a day, which of them the players of a growing game reach first.
// The units are those of docs/costs.md; what is assumed besides stands in Day, and on docs/scale.md.
package million

import (
	"fmt"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/dynamo/limits"
	"github.com/ranch-game/ranch/shared/store"
)

// fresh says what a partition serves, what a table just made does, and how long a transaction holds its items.
var fresh = limits.Fresh()

// What AWS gives an account in a region by default, and more on request: quotas of DynamoDB for a table on demand, of
// Lambda, and of API Gateway; and the largest answer of a function, which stays.
const (
	tableRead     = 40_000 // units a second
	tableWrite    = 40_000 // units a second
	concurrency   = 1_000  // calls at work at once
	gatewayRate   = 10_000 // calls a second
	largestAnswer = 6 << 20
)

// What the layout has (docs/adr/0005-gates-and-score-sheets.md), and what follows from it.
const (
	gates     = store.DefaultGates
	shards    = 4 // of a tier's gates
	parts     = 4 // of a show's entries and receipts
	gateWrite = 2 // write units of an entry in its gate's shard
	// busy is the share of the time for which a gate may be held: one entry in three then meets another one.
	busy = 1.0 / 3
	// zipped is how many bytes of an answer an entry takes, gzipped: 45,000 entries are 6 MB.
	zipped = float64(largestAnswer) / 45_000
	// packed is how many entries a judging's transaction has room for, by its 4 MB.
	packed = 170_000
	// judgeTime is for how many seconds a judging may read, of its function's 28.
	judgeTime = 25.0
)

// Costs are the units that the ceilings go by.
type Costs struct {
	all map[string]costs.Operation

	Board     float64 // read units of a page of a board
	GateRange float64 // read units of a page's gates in each shard
	Entry     float64 // read units of an entry in a show's detail
	Animal    float64 // read units of an entry in a judging
}

// ReadCosts takes the units from docs/costs.md.
func ReadCosts(page string) (*Costs, error) {
	all, err := costs.Read(page)
	if err != nil {
		return nil, err
	}
	c := &Costs{all: all}
	need := func(name string) costs.Operation {
		o, there := all[name]
		if !there && err == nil {
			err = fmt.Errorf("docs/costs.md has no %q", name)
		}
		return o
	}
	c.Board = need("listShows (50 completed)").RCU
	c.GateRange = (need("listShows (50 open, by tier)").RCU - c.Board) / shards
	c.Entry = (need("getShow (100 entries, open)").RCU - 2) / 100 // the show's item, and its one gate
	c.Animal = need("judgeShow (10,000 entries)").RCU / 10_000
	for _, step := range costs.Session {
		need(step.Operation)
	}
	for _, name := range []string{"register", "login", "logout", "enterShow (fee), 16 gates", "claimReward (10,000 entries)", "getSeason (20 shows of 100 entries)"} {
		need(name)
	}
	return c, err
}

// Ceiling is the most that a call can be asked for, by what gives in first.
type Ceiling struct {
	Call    string
	Hottest string // item or partition
	Formula string // of the figure
	Most    string // the figure
	Raises  string // what raises it
}

// perSecond is a figure of at least 1, with commas.
func perSecond(f float64, what string) string { return figure(f) + " " + what + " a second" }

func figure(f float64) string {
	text := fmt.Sprintf("%.0f", f)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Ceilings returns those of all calls.
func (c *Costs) Ceilings() []Ceiling {
	u := c.all
	table := func(o costs.Operation) (string, string) {
		if o.WCU > 0 {
			return fmt.Sprintf("%s / %.0f WCU", figure(tableWrite), o.WCU), perSecond(tableWrite/o.WCU, "calls")
		}
		return fmt.Sprintf("%s / %.0f RCU", figure(tableRead), o.RCU), perSecond(tableRead/o.RCU, "calls")
	}
	alone := func(call, hottest, raises string) Ceiling {
		formula, most := table(u[call])
		return Ceiling{call, hottest, formula, most, raises}
	}
	const entries = 45_000
	view := c.Entry * entries / parts
	return []Ceiling{
		alone("register", "none that two players share: the table as a whole", "the table's quota"),
		alone("login", "none that two players share; a password's hash takes 15 to 30 ms of a core", "the table's quota; memory, which is processor time"),
		alone("refresh", "none that two players share", "the table's quota"),
		alone("logout", "none that two players share", "the table's quota"),
		alone("listAnimals", "the player's own partition", "the table's quota"),
		{
			"list", "`BOARD#all`, or the board of a tier: the same page for everybody", fmt.Sprintf("%s / %.0f RCU", figure(fresh.PartitionRead), c.Board),
			perSecond(fresh.PartitionRead/c.Board, "lists") + " of the whole service", "replicas of the boards, written by the same transactions and read by turns; a cache of a second before the API",
		},
		{
			"show (detail)", fmt.Sprintf("the show's %d partitions with its entries", parts), fmt.Sprintf("%s / (%s entries × %.2f RCU / %d)", figure(fresh.PartitionRead), figure(entries), c.Entry, parts),
			fmt.Sprintf("%.1f views a second of a show of %s, %s of one of 1,000", fresh.PartitionRead/view, figure(entries), figure(fresh.PartitionRead/(c.Entry*1_000/parts))),
			"pages of entries instead of all; a snapshot of a completed show, whose ranks stay, in a cache",
		},
		{
			"enter", "one gate of the show", fmt.Sprintf("%d gates / 3 / %v of hold", gates, fresh.Hold), perSecond(entriesOfAShow(), "entries") + " in one show", "more gates: up to 40 when a show is made",
		},
		{
			"enter, in all shows of a tier", fmt.Sprintf("a shard of the tier's gates (%d)", shards), fmt.Sprintf("%d shards × %s / %d WCU", shards, figure(fresh.PartitionWrite), gateWrite),
			perSecond(shards*fresh.PartitionWrite/gateWrite, "entries") + " in one tier", "more shards, at a unit for each in every list; more tiers",
		},
		{
			"judge", "the table as a whole: every animal is an item of its own", fmt.Sprintf("4 MB of packed results; %.0f s × %s RCU of a table just made / %.2f RCU would be more", judgeTime, figure(fresh.TableRead), c.Animal),
			figure(judgeable(c)) + " entries in a show", "traits copied into the entries; parts that are judged one by one, with an order of their own",
		},
		{
			"claim", "the show's item, and the first item of its results", figure(fresh.PartitionRead) + " / 1 RCU", perSecond(fresh.PartitionRead, "claims") + " in one show",
			"results that do not need their first item; a claim in the background",
		},
		{
			"claim, of one sheet", "a sheet of 1,000 results", fmt.Sprintf("%s / %.0f RCU", figure(fresh.PartitionRead), sheetUnits(u)), perSecond(fresh.PartitionRead/sheetUnits(u), "claims") + " of those on it",
			"smaller sheets; for all of them together it is the line above",
		},
		{
			"season", "`SEASON`: the active season, the same for everybody", figure(fresh.PartitionRead) + " / 1 RCU", perSecond(fresh.PartitionRead, "calls") + " of the whole service",
			"a function that keeps the season for some seconds; replicas",
		},
	}
}

// sheetUnits is what a claim reads of a sheet: what it reads more than in a small show, and a unit at least.
func sheetUnits(u map[string]costs.Operation) float64 {
	return max(1, u["claimReward (10,000 entries)"].RCU-u["claimReward (prize), 16 gates"].RCU)
}
