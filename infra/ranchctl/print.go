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

// table is how records are printed: by its columns, one row for each record, or as JSON.
type table[R any] struct {
	columns string
	row     func(R) []any
}

// list returns what prints records that were read, or the error of their reading.
func (t table[R]) list(a *app) func([]R, error) error {
	return func(records []R, err error) error { return t.print(a, records, records, err) }
}

// one returns what prints a record that was read, or the error of its reading.
func (t table[R]) one(a *app) func(*R, error) error {
	return func(record *R, err error) error {
		if err != nil {
			return err
		}
		return t.print(a, record, []R{*record}, nil)
	}
}

// print prints the records, as JSON the value that they are of.
func (t table[R]) print(a *app, value any, records []R, err error) error {
	if err != nil {
		return err
	}
	if a.format == "json" {
		return a.printJSON(value)
	}
	rows := make([][]any, len(records))
	for i, record := range records {
		rows[i] = t.row(record)
	}
	columns := strings.Fields(t.columns)
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
		if beginsFormula(part) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// fromCSV is the text of a csvCell.
func fromCSV(cell string) string {
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		if text, is := strings.CutPrefix(part, "'"); is && beginsFormula(text) {
			parts[i] = text
		}
	}
	return strings.Join(parts, ";")
}

func beginsFormula(text string) bool {
	return text != "" && strings.ContainsAny(firstRune(text), "=+-@＝＋－＠")
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

// orAbsent is a text that may be absent.
func orAbsent(text string) any {
	if text == "" {
		return absent
	}
	return text
}

// orDash is a value that may be absent.
func orDash[V any](v *V) any {
	if v == nil {
		return absent
	}
	return *v
}
