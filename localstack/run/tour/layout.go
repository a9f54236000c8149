package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ranch-game/ranch/infra/terminal"
)

// value is a JSON value to be laid out: what fits into a line is one, and else the members that are plain fill lines
// and the others begin lines of their own, so that fifty shows can still be read. Members stay in their order.
type value struct {
	name    string // with its colon, where it is an object's member
	text    string // of a plain value
	ends    string // brackets or braces; "" for a plain value
	members []value
}

// parse reads a text that is one JSON value. Secrets are shortened.
func parse(text []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := parseValue(d, "")
	if err != nil {
		return v, err
	}
	if _, err := d.Token(); err != io.EOF {
		return v, errors.New("more than one value")
	}
	return v, nil
}

func parseValue(d *json.Decoder, field string) (value, error) {
	token, err := d.Token()
	if err != nil {
		return value{}, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		if secret, ok := token.(string); ok && isSecret(field) {
			token = shortened(secret)
		}
		return value{text: encode(token)}, nil
	}
	v := value{ends: "[]"}
	if delim == '{' {
		v.ends = "{}"
	}
	for d.More() {
		name, field := "", ""
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return v, err
			}
			field = token.(string) // or d.Token had failed
			name = encode(field) + ": "
		}
		member, err := parseValue(d, field)
		if err != nil {
			return v, err
		}
		member.name = name
		v.members = append(v.members, member)
	}
	_, err = d.Token()
	return v, err
}

// encode is a plain value as JSON that a terminal only prints.
func encode(token any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(token) // what has come out of JSON
	return terminal.VisibleJSON(strings.TrimSuffix(b.String(), "\n"))
}

// line is the value in one line.
func (v value) line() string {
	if v.ends == "" {
		return v.name + v.text
	}
	members := make([]string, len(v.members))
	for i, m := range v.members {
		members[i] = m.line()
	}
	return v.name + v.ends[:1] + strings.Join(members, ", ") + v.ends[1:]
}

// lines is the value in lines of so many columns, unless a plain value alone is wider.
func (v value) lines(columns int) []string {
	const indent = "  "
	if line := v.line(); v.ends == "" || utf8.RuneCountInString(line) <= columns {
		return []string{line}
	}
	lines, open := []string{v.name + v.ends[:1]}, false // whether the last line takes more plain members
	for i, m := range v.members {
		parts := m.lines(columns - len(indent) - len(","))
		if i < len(v.members)-1 {
			parts[len(parts)-1] += ","
		}
		last := &lines[len(lines)-1]
		if m.ends == "" && open && utf8.RuneCountInString(*last+" "+parts[0]) <= columns {
			*last += " " + parts[0]
			continue
		}
		for _, part := range parts {
			lines = append(lines, indent+part)
		}
		open = m.ends == ""
	}
	return append(lines, v.ends[1:])
}
