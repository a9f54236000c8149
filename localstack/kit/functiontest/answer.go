package functiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Answer is what a client gets, and what the function logged.
type Answer struct {
	Status int
	Header map[string]string
	Body   string // unpacked
	Log    string
}

// Want checks an answer whose whole body is known, to the letter.
func (a Answer) Want(t testing.TB, status int, body string) {
	t.Helper()
	if a.Status != status || a.Body != body {
		t.Errorf("got %d %.300s\nwant %d %s\nlog %s", a.Status, a.Body, status, body, a.Log)
	}
}

// WantStatus checks the status.
func (a Answer) WantStatus(t testing.TB, status int) {
	t.Helper()
	if a.Status != status {
		t.Errorf("got %d %.300s, want %d\nlog %s", a.Status, a.Body, status, a.Log)
	}
}

// WantUnauthorized checks the 401 of a protected endpoint, with its challenge: bare without credentials.
func (a Answer) WantUnauthorized(t testing.TB, credentials bool) {
	t.Helper()
	a.Want(t, 401, `{"error":"UNAUTHORIZED"}`)
	challenge := `Bearer realm="ranch"`
	if credentials {
		challenge += `, error="invalid_token"`
	}
	if got := a.Header["WWW-Authenticate"]; got != challenge {
		t.Errorf("challenge %q, want %q", got, challenge)
	}
}

// Object returns the body as an object; numbers keep their texts.
func (a Answer) Object(t testing.TB) map[string]any { return parse[map[string]any](t, a.Body) }

// List returns the body as a list of objects.
func (a Answer) List(t testing.TB) []map[string]any { return parse[[]map[string]any](t, a.Body) }

// WantLogged checks members of the line in the log by their names. Nil is one that is not there.
func (a Answer) WantLogged(t testing.TB, want map[string]any) {
	t.Helper()
	line := parse[map[string]any](t, a.Log)
	for name, value := range want {
		if got := line[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s is %v in the log, want %v: %s", name, got, value, a.Log)
		}
	}
}

func parse[V any](t testing.TB, body string) (v V) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Errorf("%v: %.200s", err, body)
	}
	return v
}

// In returns the object or list at a path of member names.
func In[V any](t testing.TB, object map[string]any, path ...string) V {
	t.Helper()
	var value any = object
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	v, ok := value.(V)
	if !ok {
		t.Errorf("%v is %T in %v, want %T", path, value, object, v)
	}
	return v
}

// Objects returns the objects of a list.
func Objects(t testing.TB, list []any) []map[string]any {
	t.Helper()
	objects := make([]map[string]any, len(list))
	for i := range list {
		objects[i] = In[map[string]any](t, map[string]any{"item": list[i]}, "item")
	}
	return objects
}

// Kind says what a member of an object is. Null is a kind of its own.
type Kind string

// The kinds of members.
const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Decimal Kind = "decimal"
	Boolean Kind = "boolean"
	Time    Kind = "time" // UTC, RFC 3339, three decimals
	UUID    Kind = "UUID"
	Null    Kind = "null"
	List    Kind = "list"
	Object  Kind = "object"
)

var (
	timeForm    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	uuidForm    = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	integerForm = regexp.MustCompile(`^-?\d+$`)
)

func kindOf(value any) Kind {
	switch v := value.(type) {
	case nil:
		return Null
	case bool:
		return Boolean
	case json.Number:
		if integerForm.MatchString(string(v)) {
			return Integer
		}
		return Decimal
	case []any:
		return List
	case map[string]any:
		return Object
	case string:
		switch {
		case timeForm.MatchString(v):
			return Time
		case uuidForm.MatchString(v):
			return UUID
		}
	}
	return Text
}

// Shape is the exact set of an object's members, and what each is.
type Shape map[string]Kind

// And returns the shape with more or other members.
func (s Shape) And(more Shape) Shape {
	all := maps.Clone(s)
	maps.Copy(all, more)
	return all
}

// Check compares an object with the shape: no member less, no member more, no other kind.
func (s Shape) Check(t testing.TB, object map[string]any) {
	t.Helper()
	got := Shape{}
	for name, value := range object {
		got[name] = kindOf(value)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("members of %v (-want +got):\n%s", slices.Sorted(maps.Keys(object)), diff)
	}
}
