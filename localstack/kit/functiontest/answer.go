package functiontest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Answer is an endpoint's response, and the function's log line.
type Answer struct {
	Status int
	Header map[string]string
	Body   string // decompressed
	Log    string
}

// Want checks the status and the whole body of a response.
func (a Answer) Want(t testing.TB, status int, body string) {
	t.Helper()
	assert.True(t, a.Status == status && a.Body == body, "got %d %.300s\nwant %d %s\nlog %s", a.Status, a.Body, status, body, a.Log)
}

// WantStatus checks the status.
func (a Answer) WantStatus(t testing.TB, status int) {
	t.Helper()
	assert.Equal(t, status, a.Status, "got %d %.300s, want %d\nlog %s", a.Status, a.Body, status, a.Log)
}

// WantUnauthorized checks that the response is the 401 of a protected endpoint, with its WWW-Authenticate challenge.
// credentials is true if the request had credentials. Without them, the challenge must not name an error.
func (a Answer) WantUnauthorized(t testing.TB, credentials bool) {
	t.Helper()
	a.Want(t, 401, `{"error":"UNAUTHORIZED"}`)
	challenge := `Bearer realm="ranch"`
	if credentials {
		challenge += `, error="invalid_token"`
	}
	assert.Equal(t, challenge, a.Header["WWW-Authenticate"], "challenge")
}

// Object returns the body as a JSON object. Numbers are of the type json.Number.
func (a Answer) Object(t testing.TB) map[string]any { return parse[map[string]any](t, a.Body) }

// List returns the body as a list of JSON objects. Numbers are of the type json.Number.
func (a Answer) List(t testing.TB) []map[string]any { return parse[[]map[string]any](t, a.Body) }

// WantLogged checks fields of the log line by their names. The value nil means that the field must be missing.
func (a Answer) WantLogged(t testing.TB, want map[string]any) {
	t.Helper()
	line := parse[map[string]any](t, a.Log)
	for name, value := range want {
		got := line[name]
		assert.Equal(t, fmt.Sprint(value), fmt.Sprint(got), "%s is %v in the log, want %v: %s", name, got, value, a.Log)
	}
}

func parse[V any](t testing.TB, body string) (v V) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(&v)
	assert.NoError(t, err, "%v: %.200s", err, body)
	return v
}

// In returns the value at a path of member names in a JSON object. The test fails unless the value has the type V.
func In[V any](t testing.TB, object map[string]any, path ...string) V {
	t.Helper()
	var value any = object
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	v, ok := value.(V)
	assert.True(t, ok, "%v is %T in %v, want %T", path, value, object, v)
	return v
}

// Objects returns the items of a list. Each item must be an object.
func Objects(t testing.TB, list []any) []map[string]any {
	t.Helper()
	objects := make([]map[string]any, len(list))
	for i := range list {
		objects[i] = In[map[string]any](t, map[string]any{"item": list[i]}, "item")
	}
	return objects
}
