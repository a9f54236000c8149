// Package protocol parses and writes DynamoDB's JSON protocol as far as the simulator needs it: the items, key
// conditions and projections of a request, the keys of tables, and DynamoDB's error responses.
package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// ErrSyntax means that JSON does not have DynamoDB's form. The simulator sends such a request to the engine unchanged.
var ErrSyntax = errors.New("protocol: not the JSON that was expected")

// Member is one member of a JSON object.
type Member struct {
	Name  string
	Value []byte // its JSON, as in the object
}

// Named returns a member.
func Named(name string, value []byte) Member { return Member{name, value} }

// Members calls visit for each member of a JSON object, in order. If visit returns an error, Members stops and returns
// the error. For another kind of value it returns ErrSyntax. The caller must have checked the syntax with Valid. The
// values are parts of the object, not copies.
func Members(object []byte, visit func(Member) error) error {
	return each(object, gjson.Result.IsObject, func(name gjson.Result, value []byte) error {
		return visit(Member{name.Str, value})
	})
}

// Values calls visit for each value of a JSON array, as Members does for an object.
func Values(array []byte, visit func(value []byte) error) error {
	return each(array, gjson.Result.IsArray, func(_ gjson.Result, value []byte) error { return visit(value) })
}

func each(text []byte, is func(gjson.Result) bool, visit func(name gjson.Result, value []byte) error) (err error) {
	parsed := gjson.Parse(unsafe.String(unsafe.SliceData(text), len(text))) // no copy, because no code changes a body
	if !is(parsed) {
		return ErrSyntax
	}
	parsed.ForEach(func(name, value gjson.Result) bool {
		err = visit(name, text[value.Index:value.Index+len(value.Raw)])
		return err == nil
	})
	return err
}

// Valid reports whether a body is JSON.
func Valid(body []byte) bool { return gjson.ValidBytes(body) }

var errFound = errors.New("protocol: found")

// MemberOf returns the value of the first member with this name, or nil if there is no such member or no object.
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

// Object returns the JSON object with the given members.
func Object(all ...Member) []byte {
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(gjson.AppendJSONString(b, m.Name), ':'), m.Value...)
	}
	return append(b, '}')
}

// Array returns the JSON array with the given values.
func Array(values [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}

// With returns a copy of a JSON object in which replacements replace the members of the same names. It appends
// replacements whose names the object does not have.
func With(object []byte, replacements ...Member) []byte {
	var all []Member
	_ = Members(object, func(m Member) error {
		if at := slices.IndexFunc(replacements, func(r Member) bool { return r.Name == m.Name }); at >= 0 {
			m.Value = replacements[at].Value
			replacements = slices.Delete(slices.Clone(replacements), at, at+1)
		}
		all = append(all, m)
		return nil
	})
	return Object(append(all, replacements...)...)
}

// Without returns a copy of a JSON object without the named members.
func Without(object []byte, names ...string) []byte {
	return pick(object, func(name string) bool { return !slices.Contains(names, name) })
}

// Only returns a copy of a JSON object with the named members alone.
func Only(object []byte, names ...string) []byte {
	return pick(object, func(name string) bool { return slices.Contains(names, name) })
}

func pick(object []byte, keep func(name string) bool) []byte {
	var all []Member
	_ = Members(object, func(m Member) error {
		if keep(m.Name) {
			all = append(all, m)
		}
		return nil
	})
	return Object(all...)
}

// Text returns a copy of the content of a JSON string, which callers may keep. Another kind of value is an ErrSyntax.
func Text(quoted []byte) (string, error) {
	value := gjson.ParseBytes(quoted)
	if value.Type != gjson.String {
		return "", ErrSyntax
	}
	return strings.Clone(value.Str), nil
}

// Marshal returns a value as JSON. It panics if the value cannot be encoded.
func Marshal(value any) []byte {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return b
}
