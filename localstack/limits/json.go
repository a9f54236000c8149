package limits

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"
)

// The protocol's bodies are read where they lie: a request is let through byte by byte, and of a page of 1 MB no more
// than the units is of interest. What follows finds its way in JSON and leaves it to the engine to judge it: it accepts
// more than JSON, and changes nothing that it does not understand.

var errSyntax = errors.New("limits: not the JSON that was expected")

// member is one member of an object.
type member struct {
	name       string
	quoted     []byte // the name as it stands there
	value      []byte
	start, end int // of name and value in the object
}

// members calls visit for each member of an object, in order.
func members(object []byte, visit func(member) error) error {
	return elements(object, '{', '}', func(start int) (int, error) {
		nameEnd, err := skipString(object, start)
		if err != nil {
			return 0, err
		}
		name, err := text(object[start:nameEnd])
		if err != nil {
			return 0, err
		}
		at := skipSpace(object, nameEnd)
		if at == len(object) || object[at] != ':' {
			return 0, errSyntax
		}
		at = skipSpace(object, at+1)
		end, err := skipValue(object, at)
		if err != nil {
			return 0, err
		}
		return end, visit(member{name, object[start:nameEnd], object[at:end], start, end})
	})
}

// values calls visit for each value of an array, in order.
func values(array []byte, visit func(value []byte) error) error {
	return elements(array, '[', ']', func(start int) (int, error) {
		end, err := skipValue(array, start)
		if err != nil {
			return 0, err
		}
		return end, visit(array[start:end])
	})
}

// elements calls one for the start of each element of an object or array; it returns the element's end.
func elements(b []byte, opening, closing byte, one func(start int) (end int, err error)) error {
	at := skipSpace(b, 0)
	if at == len(b) || b[at] != opening {
		return errSyntax
	}
	if at = skipSpace(b, at+1); at < len(b) && b[at] == closing {
		return nil
	}
	for {
		end, err := one(at)
		if err != nil {
			return err
		}
		at = skipSpace(b, end)
		if at == len(b) {
			return errSyntax
		}
		switch b[at] {
		case closing:
			return nil
		case ',':
			at = skipSpace(b, at+1)
		default:
			return errSyntax
		}
	}
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

func skipString(b []byte, at int) (int, error) {
	if at >= len(b) || b[at] != '"' {
		return 0, errSyntax
	}
	for at++; at < len(b); at++ {
		switch b[at] {
		case '\\':
			at++
		case '"':
			return at + 1, nil
		}
	}
	return 0, errSyntax
}

func skipValue(b []byte, at int) (int, error) {
	if at >= len(b) {
		return 0, errSyntax
	}
	switch b[at] {
	case '"':
		return skipString(b, at)
	case '{', '[':
		return skipNested(b, at)
	}
	start := at
	for at < len(b) && !delimits[b[at]] {
		at++
	}
	if at == start {
		return 0, errSyntax
	}
	return at, nil
}

// delimits has what ends a number or a word.
var delimits = [256]bool{',': true, ':': true, '}': true, ']': true, ' ': true, '\n': true, '\t': true, '\r': true}

func skipNested(b []byte, at int) (int, error) {
	for depth := 0; at < len(b); {
		switch b[at] {
		case '"':
			end, err := skipString(b, at)
			if err != nil {
				return 0, err
			}
			at = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1, nil
			}
		}
		at++
	}
	return 0, errSyntax
}

// memberOf returns a member's value, nil if there is none.
func memberOf(object []byte, name string) (value []byte) {
	_ = members(object, func(m member) error {
		if m.name == name {
			value = m.value
			return errFound
		}
		return nil
	})
	return value
}

// errFound ends a search.
var errFound = errors.New("limits: found")

// object returns the object of the given members.
func object(all []member) []byte {
	b := bytes.NewBufferString("{")
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(m.quoted)
		b.WriteByte(':')
		b.Write(m.value)
	}
	return append(b.Bytes(), '}')
}

// named returns a member. The names of members that are made here need no escapes.
func named(name string, value []byte) member {
	return member{name: name, quoted: []byte(`"` + name + `"`), value: value}
}

// with returns an object with other values for some of its members; those that it does not have are added.
func with(old []byte, replacements ...member) []byte {
	var all []member
	_ = members(old, func(m member) error {
		if at := slices.IndexFunc(replacements, func(r member) bool { return r.name == m.name }); at >= 0 {
			m.value = replacements[at].value
			replacements = slices.Delete(slices.Clone(replacements), at, at+1)
		}
		all = append(all, m)
		return nil
	})
	return object(append(all, replacements...))
}

// array returns the array of the given values.
func array(values [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}

// text is what a string says.
func text(quoted []byte) (string, error) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return "", errSyntax
	}
	if bytes.IndexByte(quoted, '\\') >= 0 || !utf8.Valid(quoted) {
		var s string
		err := json.Unmarshal(quoted, &s)
		return s, err
	}
	return string(quoted[1 : len(quoted)-1]), nil
}
