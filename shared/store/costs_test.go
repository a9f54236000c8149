package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var update = flag.Bool("update", false, "rewrite docs/costs.md with what is measured")

const costsFile = "../../docs/costs.md"

// costTable is what the operations have cost in this run, the most of each.
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

// page renders the table between its markers.
func (c *costTable) page() string {
	var b strings.Builder
	b.WriteString("| Operation | Round trips | RCU | WCU | Budget | $ per million |\n|---|---:|---:|---:|---|---:|\n")
	for _, name := range slices.Sorted(maps.Keys(c.rows)) {
		row := c.rows[name]
		units := func(n float64) string {
			if n == unlimited {
				return "-"
			}
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		o := operation(row.cost)
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %d / %s / %s | %.2f |\n", name, o.RoundTrips, units(o.RCU), units(o.WCU),
			row.most.roundTrips, units(row.most.rcu), units(row.most.wcu), o.PerMillion())
	}
	return b.String()
}

// operation rounds the units to halves, as the page does: an eventually consistent read is half a unit.
func operation(c storetest.Cost) costs.Operation {
	return costs.Operation{RoundTrips: c.RoundTrips, RCU: math.Round(2*c.RCU) / 2, WCU: math.Round(c.WCU)}
}

// monthlyPlayers are those of the page's month.
const monthlyPlayers = 100_000

func month(t *testing.T, operations map[string]costs.Operation) []costs.Line {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := costs.Month(operations, template, monthlyPlayers)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

var generated = regexp.MustCompile(`(?s)(<!-- (calls|month): .*?-->\n).*?(<!-- end -->)`)

// compare fails where an operation costs more units than the page says, and where the page and the test do not speak of
// the same operations. Names and rarities vary in length by a few bytes, and entries spread over gates by chance, so
// that large reads may take two units more, and large writes one in fifty. Round trips are the budget's alone: whether
// two requests overlap is the machine's doing, too.
func (c *costTable) compare(t *testing.T) {
	if kind, err := engine.KindFromEnv(); err != nil || kind != engine.Embedded {
		return // the page is of the embedded engine
	}
	page, err := os.ReadFile(costsFile)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = c.render(t, page)
		if err := os.WriteFile(costsFile, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	documented, err := costs.Read(string(page))
	if err != nil {
		t.Fatal(err)
	}
	operations := map[string]costs.Operation{}
	for name, row := range c.rows {
		operations[name] = operation(row.cost)
		if _, there := documented[name]; !there {
			t.Errorf("docs/costs.md does not have %q: %s", name, toUpdate)
		}
	}
	for name, most := range documented {
		got, known := operations[name]
		if !known {
			t.Errorf("docs/costs.md has %q, which is not measured", name)
			continue
		}
		if most.RCU >= 5 {
			most.RCU += 2 + most.RCU/50
		}
		most.WCU += most.WCU / 50
		if got.RCU > most.RCU || got.WCU > most.WCU {
			t.Errorf("%s costs %+v, more than docs/costs.md says; if that must be: %s", name, got, toUpdate)
		}
	}
	if !bytes.Contains(page, []byte(costs.Page(month(t, documented)))) {
		t.Errorf("the month of docs/costs.md is not the one of its calls: %s", toUpdate)
	}
	sum := func(lines []costs.Line) float64 { return lines[len(lines)-1].Dollars() }
	if got, most := sum(month(t, operations)), 1.02*sum(month(t, documented)); got > most {
		t.Errorf("a month costs $%.2f, more than $%.2f; if that must be: %s", got, most, toUpdate)
	}
}

const toUpdate = "go test ./shared/store -run TestBudget -update"

// render puts what was measured in its places on the page.
func (c *costTable) render(t *testing.T, page []byte) []byte {
	operations := map[string]costs.Operation{}
	for name, row := range c.rows {
		operations[name] = operation(row.cost)
	}
	tables := map[string]string{"calls": c.page(), "month": costs.Page(month(t, operations))}
	return generated.ReplaceAllFunc(page, func(place []byte) []byte {
		parts := generated.FindSubmatch(place)
		return slices.Concat(parts[1], []byte(tables[string(parts[2])]), parts[3])
	})
}
