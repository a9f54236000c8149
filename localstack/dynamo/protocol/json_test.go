package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyJSON draws a value that encoding/json can write.
func anyJSON(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Just[any](nil),
		rapid.SampledFrom([]any{`{"`, `"}`, `\`, "[", "],", ":"}),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(append(scalars, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())...)
}

// What is found in a document is what encoding/json finds there, with and without spaces.
func TestMembersAndValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.MapOfN(rapid.String(), anyJSON(3), 0, 5).Draw(t, "object")
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indented") {
			var b bytes.Buffer
			if err := json.Indent(&b, text, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			text = append(b.Bytes(), '\n')
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got, list := map[string]json.RawMessage{}, []json.RawMessage{}
		if err := Members(text, func(m Member) error {
			got[m.Name] = m.Value
			if text[m.Start] != '"' || !bytes.Equal(text[m.End-len(m.Value):m.End], m.Value) {
				t.Errorf("%q is not from %d to %d", m.Name, m.Start, m.End)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Errorf("got %s, want %s", got, want)
		}
		raw := slices.Collect(maps.Values(want))
		var parts [][]byte
		for _, one := range raw {
			parts = append(parts, one)
		}
		if err := Values(Array(parts), func(v []byte) error { list = append(list, v); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(list, raw, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Errorf("got %s, want %s", list, raw)
		}
	})
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	nothing := func(Member) error { return nil }
	for _, s := range []string{"", " ", "[]", "null", "1", `"`, "{", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":"b}`,
		`{"a":[}`, `{"a":[1}`, `{a:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":"\`, `{"\x":1}`} {
		if err := Members([]byte(s), nothing); err == nil {
			t.Errorf("%q is taken for an object", s)
		}
	}
	if err := Values([]byte(`{"a":1}`), func([]byte) error { return nil }); !errors.Is(err, ErrSyntax) {
		t.Errorf("an object is taken for an array: %v", err)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ object, want string }{
		{`{}`, `{"b":7,"n":[]}`},
		{` { "a" : 1 , "b" : {"b":2} } `, `{"a":1,"b":7,"n":[]}`},
		{`{"n":1,"\u0062":2,"c":"x"}`, `{"n":[],"\u0062":7,"c":"x"}`},
	} {
		if got := With([]byte(c.object), Named("b", []byte("7")), Named("n", Array(nil))); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.object, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for quoted, want := range map[string]string{`""`: "", `"a"`: "a", `"é"`: "é", `"\u00e9\n"`: "é\n"} {
		if got, err := Text([]byte(quoted)); err != nil || got != want {
			t.Errorf("%s: %q, %v", quoted, got, err)
		}
	}
	for _, s := range []string{"", `"`, "12", "null", "{}", `"\x"`} {
		if got, err := Text([]byte(s)); err == nil {
			t.Errorf("%s is %q", s, got)
		}
	}
}
