package functiontest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Answer is the client's answer, and the function's log line.
type Answer struct {
	Status int
	Header map[string]string
	Body   string // decompressed
	Log    string
}

// Want checks the status and the whole body of an answer.
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

// WantUnauthorized checks that the response is the 401 of a protected endpoint, with its WWW-Authenticate challenge.
// credentials says whether the request had any. Without credentials, the challenge must not name an error.
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

// WantLogged checks fields of the log line by their names. The value nil means that the field must be missing.
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

// In returns the value at a path of member names in a JSON object, as the type V. If the value is missing or has
// another type, the test fails.
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
