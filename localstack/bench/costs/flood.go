package costs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// huge marks the rows of docs/costs.md about very large shows. dearest ignores these rows, because such shows are rare.
// docs/security.md has a sentence about them.
const huge = "10,000 entries"

// dearest returns the name of the most expensive row of docs/costs.md for a function, or an error if the page has no
// row of it. Of rows with the same cost, it returns the first by name. Entries and claims count as if they succeeded,
// because a refused transaction consumes the same write units.
func dearest(f samtemplate.Function, operations map[string]Operation) (string, error) {
	rows := slices.Sorted(maps.Keys(operations))
	rows = slices.DeleteFunc(rows, func(row string) bool {
		id, _, _ := strings.Cut(row, " ")
		return !strings.EqualFold(id, f.LogicalID) || strings.Contains(row, huge)
	})
	if len(rows) == 0 {
		return "", fmt.Errorf("docs/costs.md has no row of %s", f.LogicalID)
	}
	return slices.MaxFunc(rows, func(a, b string) int { return cmp.Compare(operations[a].PerMillion(), operations[b].PerMillion()) }), nil
}

// Flood returns a table in Markdown with the price of a day in which every route is called at its rate limit. Each call
// is the most expensive one of its route (see dearest). The last row has the sum.
func Flood(operations map[string]Operation, template *samtemplate.Template) (string, error) {
	p, err := readProcessor(template)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| Route | A second | At once | Each is | $ a day |\n|---|---:|---:|---|---:|\n")
	sum := 0.0
	for _, f := range template.Endpoints() {
		row, err := dearest(f, operations)
		if err != nil {
			return "", err
		}
		limit := template.Throttle(f.Route())
		l, err := p.line(row, operations[row], f, limit.Rate*24*60*60)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| `%s` | %.0f | %d | %s | %.2f |\n", f.Route(), limit.Rate, limit.Burst, row, l.Dollars())
		sum += l.Dollars()
	}
	fmt.Fprintf(&b, "| All of them | | | | %.2f |\n", sum)
	return b.String(), nil
}
