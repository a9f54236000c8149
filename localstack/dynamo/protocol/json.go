// Package protocol parses and writes DynamoDB's JSON protocol as far as the simulator needs it: the items and the range
// of a request, batches, and DynamoDB's error responses. It reads JSON with gjson, in order and without copies of its
// parts.
package protocol

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
)

// Member is one member of a JSON object, with the JSON of its value.
type Member struct{ Name, Value string }

// Object returns the JSON object with the given members.
func Object(all ...Member) string {
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(gjson.AppendJSONString(b, m.Name), ':'), m.Value...)
	}
	return string(append(b, '}'))
}

// With returns a copy of a JSON object with these members in place of the members of the same names.
func With(object []byte, members ...Member) []byte {
	all := without(object, func(name string) bool {
		return slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })
	})
	return []byte(Object(append(all, members...)...))
}

// Without returns a copy of a JSON object without the named member.
func Without(object []byte, name string) []byte {
	return []byte(Object(without(object, func(other string) bool { return other == name })...))
}

func without(object []byte, drop func(name string) bool) (all []Member) {
	gjson.ParseBytes(object).ForEach(func(name, value gjson.Result) bool {
		if !drop(name.Str) {
			all = append(all, Member{name.Str, value.Raw})
		}
		return true
	})
	return all
}

// Marshal returns a value as JSON. It panics if the value cannot be encoded.
func Marshal(value any) []byte {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return b
}
