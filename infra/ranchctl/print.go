package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/ranch-game/ranch/infra/terminal"
)

// formats are what -o takes.
var formats = []string{"table", "json", "csv"}

// printRecords writes a record or a list of them as -o says: as JSON, or with the given columns, one row for each
// record.
func printRecords[R any](a *app, list bool, records []R, header string, row func(R) []any) error {
	if a.format == "json" {
		if list {
			return a.printJSON(records)
		}
		return a.printJSON(records[0])
	}
	rows := make([][]any, len(records))
	for i, record := range records {
		rows[i] = row(record)
	}
	columns := strings.Fields(header)
	if a.format == "csv" {
		return a.printCSV(columns, rows)
	}
	return a.printTable(columns, rows)
}

func (a *app) printTable(columns []string, rows [][]any) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(columns, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = terminal.Visible(fmt.Sprint(cell))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// printCSV writes what a spreadsheet opens: RFC 4180 with a header, and texts in quotes. It shows what does not print
// as tables do.
func (a *app) printCSV(columns []string, rows [][]any) error {
	var lines strings.Builder
	lines.WriteString(strings.ToLower(strings.Join(columns, ",")) + "\n")
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = csvCell(cell); cell != absent && !isNumber(cell) {
				cells[i] = `"` + strings.ReplaceAll(cells[i], `"`, `""`) + `"`
			}
		}
		lines.WriteString(strings.Join(cells, ",") + "\n")
	}
	_, err := io.WriteString(a.out, lines.String())
	return err
}

// csvCell is a value for a spreadsheet, which takes a text that begins like a formula for one: it gets an apostrophe,
// as OWASP's page "CSV Injection" says. So does what follows a semicolon, at which the spreadsheets of many countries
// split, whatever is in quotes. Numbers stay numbers, and what is absent is empty.
func csvCell(cell any) string {
	if cell == absent {
		return ""
	}
	text := terminal.Visible(fmt.Sprint(cell))
	if isNumber(cell) {
		return text
	}
	parts := strings.Split(text, ";")
	for i, part := range parts {
		if part != "" && strings.ContainsAny(firstRune(part), "=+-@＝＋－＠") {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

func firstRune(text string) string {
	for i := range text {
		if i > 0 {
			return text[:i]
		}
	}
	return text
}

func isNumber(cell any) bool {
	v := reflect.ValueOf(cell)
	return v.CanInt() || v.CanUint() || v.CanFloat()
}

func (a *app) printJSON(v any) error {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, terminal.VisibleJSON(encoded.String()))
	return err
}

// noValue is the type of absent.
type noValue struct{}

// absent stands in a row where a record has no value.
var absent any = noValue{}

func (noValue) String() string { return "-" }

// orDash is a value that may be absent.
func orDash[V any](v *V) any {
	if v == nil {
		return absent
	}
	return *v
}
