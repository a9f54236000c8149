package explore

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// planted is a way to the engine on which the conditions of some items of transactions are always true: a store with a
// bug.
type planted struct {
	http.RoundTripper
	item func(pk, sk string) bool
}

func (p planted) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		if body, err = p.weaken(body); err != nil {
			return nil, err
		}
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return p.RoundTripper.RoundTrip(r)
}

func (p planted) weaken(body []byte) ([]byte, error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	text := func(key map[string]any, name string) string { return key[name].(map[string]any)["S"].(string) }
	for _, item := range request["TransactItems"].([]any) {
		for kind, action := range item.(map[string]any) {
			action := action.(map[string]any)
			key := "Key"
			if kind == "Put" {
				key = "Item"
			}
			named := action[key].(map[string]any)
			if condition, has := action["ConditionExpression"].(string); has && p.item(text(named, "PK"), text(named, "SK")) {
				action["ConditionExpression"] = "(" + condition + ") OR attribute_exists(PK) OR attribute_not_exists(PK)"
			}
		}
	}
	return json.Marshal(request)
}

// Each guard that is taken away is found out.
func TestFindsWhatIsPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		history string
		item    func(pk, sk string) bool
	}{
		"an entry does not look at its gate":          {"fair/enter+judge", func(pk, _ string) bool { return strings.HasPrefix(pk, "G#") }},
		"a judging does not look at the show":         {"fair/judge+set", func(_, sk string) bool { return sk == "SHOW" }},
		"a claim does not look for a receipt":         {"fair/claim.bob+claim.bob", func(_, sk string) bool { return strings.HasPrefix(sk, "CLAIM#") }},
		"a balance goes without the ledger's number":  {"fair/enter+claim", func(_, sk string) bool { return sk == "PROFILE" }},
		"a registration does not look at the address": {"fair/register+register.email", func(pk, _ string) bool { return strings.HasPrefix(pk, "EMAIL#") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, parseCase(c.history).Fixture, func(next http.RoundTripper) http.RoundTripper { return planted{next, c.item} })
			found := p.explore(parseCase(c.history), 500, true)
			if found.Violations == 0 {
				t.Errorf("not found in %d histories", found.Histories)
			}
			t.Logf("found in history %d", found.Histories)
		})
	}
}
