// Package million reckons on paper, by a model of a day, which limits the players of a growing game reach first. The
// units are those of docs/costs.md; what is assumed besides stands in Day, and on docs/scale.md.
package million

import (
	"fmt"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/store"
)

// fresh says what a partition serves, what a table just made does, and how long a transaction holds its items.
var fresh = capacity.Fresh()

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

// Costs are the units that the limits go by.
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
	return c, err
}
