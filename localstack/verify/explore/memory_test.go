package explore

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A transaction that is repeated under its token is none that comes anew with the same items: what the engine has
// answered to the one is no answer to the other, in this history or in one that begins like it.
func TestARepetitionIsRememberedByItself(t *testing.T) {
	t.Parallel()
	known := ""
	engine := engineFunc(func(body string) int { // what it has applied once, it refuses unless it knows the token
		if known == "" || known == body {
			known = body
			return http.StatusOK
		}
		return http.StatusBadRequest
	})
	m := newMemory(engine)
	send := func(token string) int {
		body := `{"ClientRequestToken":"` + token + `","TransactItems":[]}`
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader([]byte(body)))
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.TransactWriteItems")
		response, err := m.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	begin := func() {
		if err := m.undo(func() error { known = ""; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, history := range []struct {
		tokens  []string
		answers []int
	}{
		{[]string{"a", "a"}, []int{200, 200}},
		{[]string{"b", "c"}, []int{200, 400}},
		{[]string{"d", "d"}, []int{200, 200}},
	} {
		begin()
		for i, token := range history.tokens {
			if got := send(token); got != history.answers[i] {
				t.Errorf("%v: the answer to %s is %d, want %d", history.tokens, token, got, history.answers[i])
			}
		}
	}
}

// engineFunc is an engine of which only the status of its answers counts.
type engineFunc func(body string) int

func (f engineFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	w.WriteHeader(f(body.String()))
	return w.Result(), nil
}
