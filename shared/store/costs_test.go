package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/storetest"
)

var update = flag.Bool("update", false, "rewrite docs/costs.md with what is measured")

const costsFile = "../../docs/costs.md"

// What a million units cost on demand in us-east-1 (aws.amazon.com/dynamodb/pricing/on-demand, since November 2024).
const (
	dollarsPerMillionRCU = 0.125
	dollarsPerMillionWCU = 0.625
)

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
		limit := func(most float64) string {
			if most == unlimited {
				return "-"
			}
			return strconv.FormatFloat(most, 'f', -1, 64)
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.0f | %d / %s / %s | %.2f |\n", name, row.cost.RoundTrips, row.cost.RCU, row.cost.WCU,
			row.most.roundTrips, limit(row.most.rcu), limit(row.most.wcu), row.cost.RCU*dollarsPerMillionRCU+row.cost.WCU*dollarsPerMillionWCU)
	}
	return b.String()
}

var (
	generated = regexp.MustCompile(`(?s)(<!-- generated: .*?-->\n).*(<!-- end -->)`)
	costLine  = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \|`)
)

// compare fails where an operation costs more than the page says, and where the page and the test do not speak of the
// same operations. Names and rarities vary in length by a few bytes, and entries spread over gates by chance, so that
// large reads may take two units more, and large writes one in fifty.
func (c *costTable) compare(t *testing.T) {
	if kind, err := engine.KindFromEnv(); err != nil || kind != engine.Embedded {
		return // the page is of the embedded engine
	}
	page, err := os.ReadFile(costsFile)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = generated.ReplaceAll(page, slices.Concat([]byte("${1}"), bytes.ReplaceAll([]byte(c.page()), []byte("$"), []byte("$$")), []byte("${2}")))
		if err := os.WriteFile(costsFile, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	documented := map[string]bool{}
	for _, line := range costLine.FindAllStringSubmatch(string(page), -1) {
		documented[line[1]] = true
		row, known := c.rows[line[1]]
		if !known {
			t.Errorf("docs/costs.md has %q, which is not measured", line[1])
			continue
		}
		roundTrips, rcu, wcu := atoi(t, line[2]), atoi(t, line[3]), atoi(t, line[4])
		if rcu >= 7 {
			rcu += 2 + rcu/50
		}
		wcu += wcu / 50
		if row.cost.RoundTrips > roundTrips || row.cost.RCU > float64(rcu) || row.cost.WCU > float64(wcu) {
			t.Errorf("%s costs %+v, more than docs/costs.md says; if that must be: go test ./shared/store -run TestBudget -update", line[1], row.cost)
		}
	}
	for name := range c.rows {
		if !documented[name] {
			t.Errorf("docs/costs.md does not have %q: go test ./shared/store -run TestBudget -update", name)
		}
	}
}

func atoi(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
