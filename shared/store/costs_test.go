package store_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var update = flag.Bool("update", false, "rewrite docs/costs.md with what is measured")

const root = "../.."

// The blocks of the page that this test writes, with the tolerances of above and compare.
var (
	callsBlock = figures.Block{
		Page: "docs/costs.md", Name: "calls",
		Tolerance: "2 % of WCU; 2 RCU and 2 % from 5 RCU on, none below; of round trips the budget (`TestBudget`)",
	}
	monthBlock = figures.Block{Page: "docs/costs.md", Name: "month", Tolerance: "none with the table above, 2 % of what is measured (`TestBudget`)"}
)

// costTable holds the highest cost of each operation in this run.
type costTable struct {
	mu   sync.Mutex
	rows map[string]costRow
}

type costRow struct {
	cost storetest.Cost
	most budget
}

var measured costTable

func (c *costTable) record(name string, got storetest.Cost, most budget) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[string]costRow{}
	}
	cost := c.rows[name].cost
	cost.RoundTrips = max(cost.RoundTrips, got.RoundTrips)
	cost.RCU, cost.WCU = max(cost.RCU, got.RCU), max(cost.WCU, got.WCU)
	c.rows[name] = costRow{cost, most}
}

// page renders the block callsBlock.
func (c *costTable) page(operations map[string]costs.Operation) string {
	var b strings.Builder
	b.WriteString("| Operation | Round trips | RCU | WCU | Budget | $ per million |\n|---|---:|---:|---:|---|---:|\n")
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		o := operations[name]
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %.2f |\n", name, o.RoundTrips, units(o.RCU), units(o.WCU), c.rows[name].most, o.PerMillion())
	}
	return b.String()
}

func (b budget) String() string {
	return fmt.Sprintf("%d / %s / %s", b.roundTrips, units(b.rcu), units(b.wcu))
}

func units(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// operations returns the measured costs. RCU are rounded to halves: an eventually consistent read costs half a unit.
func (c *costTable) operations() map[string]costs.Operation {
	all := map[string]costs.Operation{}
	for name, row := range c.rows {
		all[name] = costs.Operation{RoundTrips: row.cost.RoundTrips, RCU: math.Round(2*row.cost.RCU) / 2, WCU: math.Round(row.cost.WCU)}
	}
	return all
}

// settled returns the operations for the page. A row with the same budget keeps its figures unless the measurement
// exceeds the tolerance, so that a second run changes nothing.
func (c *costTable) settled(page string, documented map[string]costs.Operation) map[string]costs.Operation {
	all := c.operations()
	for name, got := range all {
		was, there := documented[name]
		sameBudget := strings.Contains(page, fmt.Sprintf("| %s | %d | %s | %s | %s |", name, was.RoundTrips, units(was.RCU), units(was.WCU), c.rows[name].most))
		if there && sameBudget && got.RoundTrips >= was.RoundTrips && !above(got, was) && !above(was, got) {
			all[name] = was
		}
	}
	return all
}

// above reports whether an operation costs more units than a figure and its tolerance. Names and rarities vary in
// length by a few bytes, and entries spread over gates by chance. So reads from 5 RCU on may cost 2 RCU and 2 % more,
// and writes 2 %. Only the budget limits round trips: whether two requests overlap depends on the machine, too.
func above(got, figure costs.Operation) bool {
	if figure.RCU >= 5 {
		figure.RCU += 2 + figure.RCU/50
	}
	return got.RCU > figure.RCU || got.WCU > figure.WCU+figure.WCU/50
}

// monthlyPlayers is the number of players in the page's month.
const monthlyPlayers = 100_000

func month(t *testing.T, operations map[string]costs.Operation) []costs.Line {
	t.Helper()
	template := must(samtemplate.LoadRoot())(t)
	lines := must(costs.Month(operations, template, monthlyPlayers))(t)
	return lines
}

// compare fails if an operation costs other units than the page says, or if the page and the test have different
// operations. With -update it writes the page first.
func (c *costTable) compare(t *testing.T) {
	if kind, err := engine.KindFromEnv(); err != nil || kind != engine.Embedded {
		return // the page is about the embedded engine
	}
	if *update {
		page := must(os.ReadFile(root + "/" + callsBlock.Page))(t)
		was, err := costs.Read(string(page))
		operations := c.settled(string(page), was)
		checkError(t, errors.Join(err, callsBlock.Write(root, c.page(operations)), monthBlock.Write(root, costs.Page(month(t, operations)))), nil)
	}
	calls := must(callsBlock.Read(root))(t)
	documented := must(costs.Read(calls))(t)
	operations := c.operations()
	for name := range operations {
		_, there := documented[name]
		assert.True(t, there, "docs/costs.md does not have %q: %s", name, toUpdate)
	}
	for name, most := range documented {
		got, known := operations[name]
		if !known {
			t.Errorf("docs/costs.md has %q, which is not measured", name)
		} else if above(got, most) || above(most, got) {
			t.Errorf("%s costs %+v, other than docs/costs.md says; if that must be: %s", name, got, toUpdate)
		}
	}
	got, err := monthBlock.Read(root)
	assert.True(t, err == nil && got == costs.Page(month(t, documented)),
		"the month of docs/costs.md is not the one of its calls, %v: %s", err, toUpdate)
	sum := func(lines []costs.Line) float64 { return lines[len(lines)-1].Dollars() }
	if got, was := sum(month(t, operations)), sum(month(t, documented)); math.Abs(got-was) > 0.02*was {
		t.Errorf("a month costs $%.2f, not $%.2f; if that must be: %s", got, was, toUpdate)
	}
}

const toUpdate = "go test ./shared/store -run TestBudget -update"
