package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/ranch-game/ranch/infra/spreadsheet"
	"github.com/ranch-game/ranch/infra/terminal"
)

// formats are the values of -o.
var formats = []string{"table", "json", "csv"}

// listing prints records, one row for each. -o selects text or CSV with these columns, or JSON.
type listing[R any] struct {
	columns string
	row     func(R) []any
}

// list returns a function that prints records. If they could not be read, the function returns that error.
func (l listing[R]) list(a *app) func([]R, error) error {
	return func(records []R, err error) error { return l.print(a, records, records, err) }
}

// one returns a function that prints a record. If it could not be read, the function returns that error.
func (l listing[R]) one(a *app) func(*R, error) error {
	return func(record *R, err error) error {
		if err != nil {
			return err
		}
		return l.print(a, record, []R{*record}, nil)
	}
}

// report prints what a check has found, and returns the error wrong. If it has found nothing, and the format is table,
// it prints the sentence fine instead, and returns nil.
func (l listing[R]) report(a *app, found []R, fine string, wrong error) error {
	if a.format == "table" && len(found) == 0 {
		_, err := fmt.Fprintln(a.out, fine)
		return err
	}
	return cmp.Or(l.list(a)(found, nil), wrong)
}

// print prints the records, or in the format JSON the value. If err is not nil, it only returns err.
func (l listing[R]) print(a *app, value any, records []R, err error) error {
	if err != nil {
		return err
	}
	if a.format == "json" {
		return a.printJSON(value)
	}
	rows := make([][]any, len(records))
	for i, record := range records {
		rows[i] = l.row(record)
	}
	columns := strings.Fields(l.columns)
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

// printCSV writes CSV for spreadsheets: RFC 4180 with a header, texts in quotes, and the escapes of printTable.
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

// csvCell returns a value for a spreadsheet. Numbers stay numbers, and absent values are empty.
func csvCell(cell any) string {
	switch text := terminal.Visible(fmt.Sprint(cell)); {
	case cell == absent:
		return ""
	case isNumber(cell):
		return text
	default:
		return spreadsheet.Text(text)
	}
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

// absent is the cell of a value that a record does not have.
var absent any = noValue{}

func (noValue) String() string { return "-" }

// orAbsent returns the text, or absent if it is empty.
func orAbsent(text string) any {
	if text == "" {
		return absent
	}
	return text
}

// orDash returns the value, or absent if v is nil.
func orDash[V any](v *V) any {
	if v == nil {
		return absent
	}
	return *v
}
