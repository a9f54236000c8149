package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everything is a Search without reductions: it treats all steps as related, and so tries every order.
type everything struct{ *Search }

// Did implements Chooser.
func (everything) Did(Step) {}

// The search's reductions lose nothing: answers and records are those of a search that tries all orders.
func TestReductionsLoseNothing(t *testing.T) {
	places := newPlaces(t)
	for _, text := range []string{
		"fair/list+enter/-/", "fair/season+judge/-/", "fair/refresh+ban/-/", "fair/show.judged+claim/-/", "fair/enter+ban/gone@0.1/",
		"fair/refresh+ban/failafter@1.1/", "fair/set+list/late@0.1/", "fair/refresh+logout/split@0.0/",
	} {
		c, _, err := ParseHistory(text)
		if err != nil {
			t.Fatal(err)
		}
		p := places.of(c)
		all, histories := p.outcomes(c, func(s *Search) Chooser { return everything{s} })
		reduced, fewer := p.outcomes(c, func(s *Search) Chooser { return s })
		if !slices.Equal(all, reduced) {
			t.Errorf("%s: of the %d outcomes of %d histories, %d have %d:\n%s", c, len(all), histories, fewer, len(reduced), cmp.Diff(all, reduced))
		}
		if fewer >= histories || len(all) < 2 {
			t.Errorf("%s: %d histories of %d, %d outcomes", c, fewer, histories, len(all))
		}
	}
}

// outcomes returns the answers and records of all histories of the case.
func (p *place) outcomes(c Case, by func(*Search) Chooser) (outcomes []string, histories int) {
	p.t.Helper()
	found := map[string]bool{}
	search := &Search{strike: c.Strike}
	for again := true; again; again = search.Again() {
		if out, after := p.take(c, by(search)); out.Whole {
			histories++
			text := after.rows
			for _, call := range out.Calls {
				answer, err := json.Marshal(call.Answer)
				if err != nil {
					p.t.Fatal(err)
				}
				text += fmt.Sprintf("%s %v; ", answer, call.Err)
			}
			found[text] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), histories
}

// A repeated transaction has the token of the first. A new transaction with the same items has another token. The
// memory must not confuse the engine's answers to them, in this history or in another history with the same beginning.
func TestARepetitionIsRememberedByItself(t *testing.T) {
	t.Parallel()
	known := ""
	engine := engineFunc(func(body string) int { // it refuses what it has applied, unless it knows the token
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

// engineFunc is an engine that only returns a status.
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
