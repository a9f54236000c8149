package protocol

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

var ErrSyntax = errors.New("protocol: not the JSON that was expected")

// Member is one member of an object.
type Member struct {
	Name       string
	quoted     []byte // the name as it stands there
	Value      []byte
	Start, End int // of name and value in the object
}

// Members calls visit for each member of an object, in order.
func Members(object []byte, visit func(Member) error) error {
	return elements(object, '{', '}', func(start int) (int, error) {
		nameEnd, err := skipString(object, start)
		if err != nil {
			return 0, err
		}
		name, err := Text(object[start:nameEnd])
		if err != nil {
			return 0, err
		}
		at := skipSpace(object, nameEnd)
		if at == len(object) || object[at] != ':' {
			return 0, ErrSyntax
		}
		at = skipSpace(object, at+1)
		end, err := SkipValue(object, at)
		if err != nil {
			return 0, err
		}
		return end, visit(Member{name, object[start:nameEnd], object[at:end], start, end})
	})
}

// Values calls visit for each value of an array, in order.
func Values(array []byte, visit func(value []byte) error) error {
	return elements(array, '[', ']', func(start int) (int, error) {
		end, err := SkipValue(array, start)
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
		return ErrSyntax
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
			return ErrSyntax
		}
		switch b[at] {
		case closing:
			return nil
		case ',':
			at = skipSpace(b, at+1)
		default:
			return ErrSyntax
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
		return 0, ErrSyntax
	}
	for at++; at < len(b); at++ {
		switch b[at] {
		case '\\':
			at++
		case '"':
			return at + 1, nil
		}
	}
	return 0, ErrSyntax
}

func SkipValue(b []byte, at int) (int, error) {
	if at >= len(b) {
		return 0, ErrSyntax
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
		return 0, ErrSyntax
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
	return 0, ErrSyntax
}

// MemberOf returns a member's value, nil if there is none.
func MemberOf(object []byte, name string) (value []byte) {
	_ = Members(object, func(m Member) error {
		if m.Name == name {
			value = m.Value
			return errFound
		}
		return nil
	})
	return value
}

// errFound ends a search.
var errFound = errors.New("protocol: found")

// Object returns the object of the given members.
func Object(all []Member) []byte {
	b := bytes.NewBufferString("{")
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(m.quoted)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	return append(b.Bytes(), '}')
}

// Named returns a member. The names of members that are made here need no escapes.
func Named(name string, value []byte) Member {
	return Member{Name: name, quoted: []byte(`"` + name + `"`), Value: value}
}

// With returns an object with other values for some of its members; those that it does not have are added.
func With(old []byte, replacements ...Member) []byte {
	var all []Member
	_ = Members(old, func(m Member) error {
		if at := slices.IndexFunc(replacements, func(r Member) bool { return r.Name == m.Name }); at >= 0 {
			m.Value = replacements[at].Value
			replacements = slices.Delete(slices.Clone(replacements), at, at+1)
		}
		all = append(all, m)
		return nil
	})
	return Object(append(all, replacements...))
}

// Array returns the array of the given values.
func Array(values [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}

// Text is what a string says.
func Text(quoted []byte) (string, error) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return "", ErrSyntax
	}
	if bytes.IndexByte(quoted, '\\') >= 0 || !utf8.Valid(quoted) {
		var s string
		err := json.Unmarshal(quoted, &s)
		return s, err
	}
	return string(quoted[1 : len(quoted)-1]), nil
}
