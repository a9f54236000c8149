package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// printRecords writes a record or a list of them: as JSON, or as a table with the given columns, one row for each
// record.
func printRecords[R any](a *app, list bool, records []R, header string, row func(R) []any) error {
	if a.format == "json" {
		if list {
			return a.printJSON(records)
		}
		return a.printJSON(records[0])
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(header, " ", "\t"))
	for _, record := range records {
		cells := make([]string, 0, 8)
		for _, cell := range row(record) {
			cells = append(cells, visible(fmt.Sprint(cell)))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

func (a *app) printJSON(v any) error {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, visibleJSON(encoded.String()))
	return err
}

// orDash is how a table shows a value that may be absent.
func orDash[V any](v *V) any {
	if v == nil {
		return "-"
	}
	return *v
}
