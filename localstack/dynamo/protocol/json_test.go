package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMembers compares Members and Values with encoding/json. For a valid object or array, both must find the same
// members and values. For invalid JSON the functions may return anything, but must not panic. Parse checks requests
// before, and the engine refuses invalid requests.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":{"b":[1,"x\"}"]},"c":null}`, `{"a":[`, "{\"\\u0061\" : -1e5 }", `[1, "]", {"a":"]"}, [[]]]`, `{"a":1,"a":2}`, ` [ ] `, `{"\ud83d\ude00":"\\"}`, `{"a":"\\\""}`,
		`{"a" 1}`, `{"a":1 "b":2}`, `{"`, `[1`, `{"a":}`, `{"a":"`, `{"a":[}`, `{"\x":1}`, "", `{a:1}`, `{"b":1,"n":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		isObject := json.Unmarshal(text, &want) == nil && want != nil
		got := map[string][]byte{}
		err := Members(text, func(m Member) error {
			got[m.Name] = m.Value
			return nil
		})
		var list []json.RawMessage
		isArray := json.Unmarshal(text, &list) == nil && list != nil
		var parts [][]byte
		failed := Values(text, func(value []byte) error { parts = append(parts, value); return nil })
		switch {
		case !json.Valid(text) || !bytes.Equal(text, bytes.ToValidUTF8(text, nil)):
			return
		case isObject != (err == nil) || isArray != (failed == nil) || len(got) != len(want) || len(parts) != len(list):
			t.Fatalf("%q: %q, %v; %q, %v", text, got, err, parts, failed)
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Errorf("%q: %q is %q, want %q", text, name, got[name], value)
			}
		}
		for i := range list {
			if !bytes.Equal(parts[i], list[i]) {
				t.Errorf("%q: %d is %q, want %q", text, i, parts[i], list[i])
			}
		}
		if isObject {
			var changed map[string]json.RawMessage
			if err := json.Unmarshal(Without(With(text, Named("b", []byte("7"))), "n"), &changed); err != nil || string(changed["b"]) != "7" || changed["n"] != nil {
				t.Errorf("%q with b, without n: %q, %v", text, changed, err)
			}
		}
	})
}

func TestBatch(t *testing.T) {
	t.Parallel()
	const tables = `{"t":{"Keys":[1,2],"ConsistentRead":true},"u":{"Keys":[3]}}`
	b, err := ParseBatch([]byte(tables))
	if err != nil || b.Len() != 3 || string(b.JSON()) != tables {
		t.Errorf("%v %s, %v", b, b.JSON(), err)
	}
	first := b.Where(func(i int) bool { return i < 2 })
	if got := string(first.JSON()); got != `{"t":{"Keys":[1,2],"ConsistentRead":true}}` {
		t.Errorf("the first two: %s", got)
	}
	if got := string(first.And(b.Where(func(i int) bool { return i != 1 })).JSON()); got != `{"t":{"Keys":[1,2,1],"ConsistentRead":true},"u":{"Keys":[3]}}` {
		t.Errorf("with more: %s", got)
	}
	if b, err := ParseBatch([]byte(`{"t":7}`)); err == nil {
		t.Errorf("no batch is %v", b)
	}
}
