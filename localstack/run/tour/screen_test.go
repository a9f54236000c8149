package main

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/client"
)

func TestScreen(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret", 20)
	for name, c := range map[string]struct {
		exchange client.Exchange
		want     string
	}{
		"registration": {
			client.Exchange{
				Request: client.Request{Method: "POST", Path: "/auth/register", Body: client.Registration{Email: "a@example.com", Username: "a", Password: "s3cret and more", RanchName: "R"}},
				Answer:  client.Answer{Status: 201, Body: []byte(`{"token":"` + long + `","refreshToken":"` + long + `","user":{"id":"u-1","goldBalance":500}}`)},
				Took:    83*time.Millisecond + 900*time.Microsecond,
			},
			"POST /auth/register: 201 in 83 ms\n" +
				`> {"email": "a@example.com", "username": "a", "password": "…", "ranchName": "R"}` + "\n" +
				`< {"token": "s3cret…", "refreshToken": "s3cret…", "user": {"id": "u-1", "goldBalance": 500}}` + "\n",
		},
		"with a token": {
			client.Exchange{Request: client.Request{Method: "GET", Path: "/animals", Token: long}, Answer: client.Answer{Status: 200, Body: []byte(`[]`)}},
			"GET /animals, with the access token: 200 in 0 ms\n< []\n",
		},
		"a refusal": {
			client.Exchange{Request: client.Request{Method: "GET", Path: "/x"}, Answer: client.Answer{Status: 404, Body: []byte(`{"error":"NOT_FOUND","message":"a\u001b[2J` + "\u202e" + `"}`)}},
			"GET /x: 404 in 0 ms\n" + `< {"error": "NOT_FOUND", "message": "a\u001b[2J\u202e"}` + "\n",
		},
		"no JSON": {
			client.Exchange{Request: client.Request{Method: "GET", Path: "/x"}, Answer: client.Answer{Status: 502, Body: []byte("<b>\x1b[2J\nbad")}},
			"GET /x: 502 in 0 ms\n" + `< <b>\x1b[2J\nbad` + "\n",
		},
		"no answer": {
			client.Exchange{Request: client.Request{Method: "GET", Path: "/x"}, Err: errors.New("it is\nlost")},
			"GET /x: it is" + `\n` + "lost in 0 ms\n",
		},
	} {
		var out strings.Builder
		screen{out: &out}.exchange(c.exchange)
		if out.String() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, out.String(), c.want)
		}
		out.Reset()
		screen{&out, true}.exchange(c.exchange)
		if got := out.String(); !strings.HasPrefix(got, "\x1b[3") || !strings.HasSuffix(got, plain+"\n") || strings.Contains(got, "[2J") != strings.Contains(c.want, "[2J") {
			t.Errorf("%s, coloured: %q", name, got)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	v, err := parse([]byte(`{"a":1.50,"b":"two words","list":[{"x":1,"y":null},{"x":2,"y":true}],"c":"<&>","d":{},"e":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "a": 1.50, "b": "two words",
  "list": [
    {"x": 1, "y": null},
    {"x": 2, "y": true}
  ],
  "c": "<&>",
  "d": {},
  "e": 12345678901234567890
}`
	if got := strings.Join(v.lines(32), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
	for _, text := range []string{"", "{", `{"a":1}{`, `{"a":1}}`, "1 2", "nope", `{"a" 1}`, "[1,]"} {
		if v, err := parse([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
}

// However it is laid out, it is the same JSON, and only a plain value alone is wider than the page.
func TestLines_anyJSON(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e6, 1e6), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just(any(nil)),
	)
	values := leaf
	for range 3 {
		inner := values
		values = rapid.OneOf(
			leaf, rapid.Map(rapid.SliceOfN(inner, 0, 6), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z]{0,12}`), inner, 0, 6), func(m map[string]any) any {
				for name := range m {
					if isSecret(name) {
						delete(m, name)
					}
				}
				return m
			}),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		encoded, err := json.Marshal(values.Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := parse(encoded)
		if err != nil {
			t.Fatal(err)
		}
		width := rapid.IntRange(10, 120).Draw(t, "width")
		lines := v.lines(width)
		var got, want any
		err = errors.Join(json.Unmarshal([]byte(strings.Join(lines, "\n")), &got), json.Unmarshal(encoded, &want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is laid out as\n%s", encoded, strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width && !alone(line) {
				t.Errorf("%d columns of %d: %s", utf8.RuneCountInString(line), width, line)
			}
		}
	})
}

// alone reports whether a line has one plain value, with its name or without, or only opens or closes another one.
func alone(line string) bool {
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") || len(line) == 1 {
		return true
	}
	var values []any
	var members map[string]any
	if json.Unmarshal([]byte("["+line+"]"), &values) != nil {
		if json.Unmarshal([]byte("{"+line+"}"), &members) != nil {
			return false
		}
		values = slices.Collect(maps.Values(members))
	}
	if len(values) != 1 {
		return false
	}
	kind := reflect.TypeOf(values[0])
	return kind == nil || kind.Kind() != reflect.Map && kind.Kind() != reflect.Slice
}
