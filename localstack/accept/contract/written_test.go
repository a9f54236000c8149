package contract

import (
	"net/http"
	"testing"
)

// TestWriting checks that several objects may have the same field, and that texts may have any content.
func TestWriting(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`[{"a":1,"b":{"a":2}},{"a":[{"a":"a"},"a","a"],"b":"a"}]`: 0,
		`{"a":{"b":1,"c":[],"b":2}}`:                              1,
		`{"a":[{"b":1}],"a":{}}`:                                  1,
		`[0,10,-1,1.50]`:                                          0,
		`[1.5,1e2,1.500,-0.001]`:                                  4,
		"\"\xff\"":                                                1,
	} {
		if got := checkWriting([]byte(body)); len(got) != want {
			t.Errorf("%q: %q", body, got)
		}
	}
}

// TestChallengesAreHeld checks that a refusal reflects whether there was a token.
func TestChallengesAreHeld(t *testing.T) {
	t.Parallel()
	c, checked := load(t), map[string]bool{}
	for _, x := range exchanges(t) {
		challenge := x.Header.Get("WWW-Authenticate")
		if challenge == "" {
			continue
		}
		checked[challenge] = true
		other, request := bareChallenge, http.Header{}
		if challenge == bareChallenge {
			other, request = invalidChallenge, http.Header{"authorization": {" bearer  x "}}
		}
		notices(t, c, x, "the challenge is the other one", func(x *Exchange) { x.Header.Set("WWW-Authenticate", other) })
		notices(t, c, x, "there is a token, or is none any more", func(x *Exchange) { x.RequestHeader = request })
	}
	if len(checked) != 2 {
		t.Errorf("checked %v", checked)
	}
}
