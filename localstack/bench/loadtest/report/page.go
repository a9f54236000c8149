// Package report renders what a bench has measured: tables in Markdown, which take their places between the markers of
// a page that people have written, and charts as SVG.
package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Replace puts text into the place of a page that has the name:
//
//	<!-- name: the command that writes it -->
//	<!-- end -->
//
// All else stays as it is. A page without that place is an error.
func Replace(page, name, text string) (string, error) {
	begin, end, err := place(page, name)
	if err != nil {
		return "", err
	}
	return page[:begin] + strings.TrimRight(text, "\n") + "\n" + page[end:], nil
}

// Find returns what stands in the place with the name.
func Find(page, name string) (string, error) {
	begin, end, err := place(page, name)
	if err != nil {
		return "", err
	}
	return page[begin:end], nil
}

const endMarker = "<!-- end -->"

func place(page, name string) (begin, end int, err error) {
	marker := regexp.MustCompile(`(?m)^<!-- ` + regexp.QuoteMeta(name) + `: [^\n]* -->\n`)
	found := marker.FindAllStringIndex(page, 2)
	if len(found) != 1 {
		return 0, 0, fmt.Errorf("the page has %d places for %s, want 1", len(found), name)
	}
	begin = found[0][1]
	length := strings.Index(page[begin:], endMarker)
	if length < 0 {
		return 0, 0, fmt.Errorf("the place for %s has no end", name)
	}
	return begin, begin + length, nil
}

// Table is rows below a header. Columns whose header begins with a # hold numbers.
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
	header, rule := make([]string, len(t.Header)), make([]string, len(t.Header))
	for i, h := range t.Header {
		name, number := strings.CutPrefix(h, "#")
		header[i], rule[i] = name, "---"
		if number {
			rule[i] = "---:"
		}
	}
	fmt.Fprintf(&b, "| %s |\n|%s|\n", strings.Join(header, " | "), strings.Join(rule, "|"))
	for _, row := range t.Rows {
		b.WriteString(line(row))
	}
	return b.String()
}

func line(row []string) string { return "| " + strings.Join(row, " | ") + " |\n" }

// Merge renders the table with those rows of the page's that it does not replace: a row is replaced by all rows that
// have the same text in the key's column. The rows then stand in the order that is given by their keys.
func (t Table) Merge(page string, key int, order func(key string) int) string {
	measured := map[string]bool{}
	for _, row := range t.Rows {
		measured[row[key]] = true
	}
	all := Table{Header: t.Header}
	for i, text := range strings.Split(strings.TrimSpace(page), "\n") {
		row := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "| "), " |"), " | ")
		if i >= 2 && len(row) == len(t.Header) && !measured[row[key]] {
			all.Rows = append(all.Rows, row)
		}
	}
	all.Rows = append(all.Rows, t.Rows...)
	slices.SortStableFunc(all.Rows, func(a, b []string) int { return order(a[key]) - order(b[key]) })
	return all.Markdown()
}
