// Package report writes tables in Markdown into their places on a page that people have written.
package report

import (
	"fmt"
	"regexp"
	"strings"
)

// Table is rows below a header, in Markdown. Columns whose header begins with a # hold numbers.
type Table struct {
	Header []string
	Rows   [][]string
}

// Add adds a row of values as fmt prints them.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.Rows = append(t.Rows, row)
}

// Markdown renders the table.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	header, rule := make([]string, len(t.Header)), make([]string, len(t.Header))
	for i, h := range t.Header {
		name, number := strings.CutPrefix(h, "#")
		if header[i], rule[i] = name, "---"; number {
			rule[i] = "---:"
		}
	}
	line(header)
	fmt.Fprintf(&b, "|%s|\n", strings.Join(rule, "|"))
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

// Replace puts text into the place of a page that has the name:
//
//	<!-- name: the command that writes it -->
//	<!-- end -->
//
// All else stays as it is. A page without that place is an error.
func Replace(page, name, text string) (string, error) {
	place := regexp.MustCompile(`(?ms)^(<!-- ` + regexp.QuoteMeta(name) + `: [^\n]* -->\n).*?^(<!-- end -->\n)`)
	if found := place.FindAllString(page, 2); len(found) != 1 {
		return "", fmt.Errorf("the page has %d places for %s, want 1", len(found), name)
	}
	return place.ReplaceAllString(page, "${1}"+strings.ReplaceAll(text, "$", "$$")+"${2}"), nil
}
