package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMembers holds the reading of JSON where it lies against encoding/json: of a valid object the same members with
// the same values, and each where it says; of a valid array the same values. Of what is invalid it may make anything
// but a panic: the engine refuses that.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":{"b":[1,"x\"}"]},"c":null}`, `{"a":[`, "{\"\\u0061\" : -1e5 }", `[1, "]", {"a":"]"}, [[]]]`, `{"a":1,"a":2}`, ` [ ] `, `{"\ud83d\ude00":"\\"}`, `{"a":"\\\""}`, "{\"\xf2\":null}",
		`{"a" 1}`, `{"a":1 "b":2}`, `{"`, `[1`, `{"a":}`, `{"a":"`, `{"a":[}`, `{"\x":1}`, "", `{a:1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		isObject := json.Unmarshal(text, &want) == nil && want != nil
		got := map[string][]byte{}
		err := Members(text, func(m Member) error {
			got[m.Name] = m.Value
			if !bytes.HasSuffix(text[m.Start:m.End], m.Value) || !bytes.HasPrefix(text[m.Start:m.End], m.quoted) {
				t.Errorf("%q: %q does not stand from %d to %d", text, m.Name, m.Start, m.End)
			}
			return nil
		})
		if isObject && (err != nil || len(got) != len(want)) {
			t.Fatalf("%q: %q, %v", text, got, err)
		}
		for name, value := range want {
			if isObject && !bytes.Equal(got[name], value) {
				t.Errorf("%q: %q is %q, want %q", text, name, got[name], value)
			}
		}
		if isObject {
			var changed map[string]json.RawMessage
			if err := json.Unmarshal(With(text, Named("b", []byte("7"))), &changed); err != nil || string(changed["b"]) != "7" {
				t.Errorf("%q with b: %q, %v", text, changed, err)
			}
		}
		var list []json.RawMessage
		isArray := json.Unmarshal(text, &list) == nil && list != nil
		var parts [][]byte
		err = Values(text, func(value []byte) error { parts = append(parts, value); return nil })
		if isArray && (err != nil || len(parts) != len(list)) {
			t.Fatalf("%q: %q, %v", text, parts, err)
		}
		for i := range list {
			if isArray && !bytes.Equal(parts[i], list[i]) {
				t.Errorf("%q: %d is %q, want %q", text, i, parts[i], list[i])
			}
		}
	})
}
