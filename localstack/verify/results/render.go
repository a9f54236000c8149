package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// render makes tables of a JSON object, in its order: one of all members that are a value or a list of values, and one
// of each member that is an object. Where that has objects, too, they are what its second column says. Of a list of
// objects there is a table with a row for each. Before them stands by which command, and when: what the object says
// of its run, or else the command that is given.
func render(object []byte, command string) (string, error) {
	var of batch.Run
	if err := json.Unmarshal(object, &of); err != nil {
		return "", err
	}
	of.Command = cmp.Or(of.Command, command)
	plain := report.Table{Header: []string{"What", "#How many"}}
	var tables []string
	err := protocol.Members(object, func(m protocol.Member) error {
		table, text, err := renderValue(words(m.Name), m.Value)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", m.Name, err)
		case slices.Contains([]string{"Command", "Date", "Minutes", "Interrupted"}, m.Name):
		case table == nil:
			plain.Add(words(m.Name), text)
		case len(table.Rows) == 0:
			plain.Add(words(m.Name), "none")
		default:
			tables = append(tables, table.Markdown())
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if len(plain.Rows) > 0 {
		tables = append([]string{plain.Markdown()}, tables...)
	}
	return measuredBy(of) + "\n\n" + strings.Join(tables, "\n"), nil
}

// measuredBy is a sentence of a run.
func measuredBy(r batch.Run) string {
	text := "By `" + r.Command + "`"
	if r.Date != "" {
		text += ", on " + r.Date
	}
	if r.Minutes > 0 {
		text += fmt.Sprintf(", in %s minutes", strconv.FormatFloat(r.Minutes, 'f', -1, 64))
	}
	if r.Interrupted {
		text += "; it was interrupted before it had tried all"
	}
	return text + ":"
}

// renderValue returns what a value is on one line, or the table that it is.
func renderValue(name string, value []byte) (*report.Table, string, error) {
	switch value[0] {
	case '{':
		table := &report.Table{Header: []string{name, "#How many"}}
		err := protocol.Members(value, func(m protocol.Member) error {
			if m.Value[0] == '{' {
				table.Header[1] = "How many"
			}
			text, err := oneLine(m.Value)
			table.Add(words(m.Name), text)
			return err
		})
		return table, "", err
	case '[':
		var table *report.Table
		err := protocol.Values(value, func(element []byte) error {
			if element[0] != '{' {
				return nil
			}
			if table == nil {
				table = &report.Table{}
			}
			return addRow(table, element)
		})
		if table != nil || err != nil {
			return table, "", err
		}
	}
	text, err := oneLine(value)
	return nil, text, err
}

// addRow adds an object as a row. All objects of a list have the members of the first one.
func addRow(table *report.Table, object []byte) error {
	first := len(table.Header) == 0
	var row []any
	err := protocol.Members(object, func(m protocol.Member) error {
		if name := words(m.Name); first && (m.Value[0] == '-' || unicode.IsDigit(rune(m.Value[0]))) {
			table.Header = append(table.Header, "#"+name)
		} else if first {
			table.Header = append(table.Header, name)
		}
		text, err := oneLine(m.Value)
		row = append(row, text)
		return err
	})
	if err == nil && len(row) != len(table.Header) {
		err = fmt.Errorf("%d members, and the first of the list has %d", len(row), len(table.Header))
	}
	table.Add(row...)
	return err
}

// oneLine is a value in a cell: of an object what there is of each member, of a list its elements.
func oneLine(value []byte) (string, error) {
	var parts []string
	switch value[0] {
	case '{':
		err := protocol.Members(value, func(m protocol.Member) error {
			text, err := oneLine(m.Value)
			if text != "0" {
				parts = append(parts, text+" × "+m.Name)
			}
			return err
		})
		return strings.Join(parts, ", "), err
	case '[':
		err := protocol.Values(value, func(element []byte) error {
			text, err := oneLine(element)
			parts = append(parts, text)
			return err
		})
		if len(parts) == 0 {
			parts = []string{"none"}
		}
		return strings.Join(parts, ", "), err
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(text), err
	case 'n': // null is a list without elements
		return "none", nil
	}
	return digits(string(value)), nil
}

// digits groups the digits of a whole number by threes; of any other one it keeps one decimal.
func digits(number string) string {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number // true and false
	}
	if strings.Contains(number, ".") {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	for i := len(number) - 3; i > 0 && number[i-1] != '-'; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// words makes "Calls by kind" of CallsByKind; any other text, such as a test's name, stays as it is.
func words(name string) string {
	if strings.ContainsAny(name, "./ ") {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteString(" ")
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
