package httpapi

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

const callerID = game.ID("11111111-1111-4111-8111-111111111111")

// onlyToken is a Verifier that accepts one token.
type onlyToken string

func (o onlyToken) VerifyAccess(text string, _ game.Instant) (token.Caller, error) {
	if text != string(o) {
		return token.Caller{}, token.ErrInvalid
	}
	return token.Caller{ID: callerID, Username: "Ann"}, nil
}

const (
	bareChallenge    = `Bearer realm="ranch"`
	invalidChallenge = `Bearer realm="ranch", error="invalid_token"`
)

// TestAuthentication checks the answers for headers. FuzzAuthorization checks which headers are valid.
func TestAuthentication(t *testing.T) {
	for _, test := range []struct {
		name, header, value string
		status              int
		challenge           string
	}{
		{"good", "authorization", "Bearer good", 200, ""},
		{"other header case", "Authorization", "Bearer good", 200, ""},
		{"no header", "x-other", "Bearer good", 401, bareChallenge},
		{"empty header", "authorization", "", 401, bareChallenge},
		{"other scheme", "authorization", "Basic good", 401, bareChallenge},
		{"scheme alone", "authorization", "Bearer", 401, bareChallenge},
		{"bad token", "authorization", "Bearer bad", 401, invalidChallenge},
		{"header sent twice", "authorization", "Bearer good,Bearer good", 401, invalidChallenge},
	} {
		called := false
		endpoint := quiet(Protected("test", func(_ context.Context, r *Request) (Response, error) {
			called = true
			return OK(r.Caller.ID), nil
		}, onlyToken("good")))
		ev := event("")
		ev.Headers = map[string]string{test.header: test.value}
		out := invoke(t, endpoint, ev)
		body := `{"error":"UNAUTHORIZED"}`
		if test.status == 200 {
			body = `"` + string(callerID) + `"`
		}
		assert.True(t, out.StatusCode == test.status && out.Body == body && out.Headers["WWW-Authenticate"] == test.challenge,
			"%s: got %d %s, challenge %q", test.name, out.StatusCode, out.Body, out.Headers["WWW-Authenticate"])
		assert.Equal(t, (test.status == 200), called, "%s: the handler was called: %t", test.name, called)
	}
}

// A verifier that cannot judge a token leads to a 500, or to a 503 if the table is busy. A 401 would end the session.
func TestAVerifierWithoutKeys(t *testing.T) {
	for cause, want := range map[error]int{errors.New("no keys"): 500, fmt.Errorf("read the keys: %w", game.ErrBusy): 503} {
		ev := event("")
		ev.Headers = map[string]string{"authorization": "Bearer good"}
		out := invoke(t, quiet(Protected("test", returns(OK(1), nil), noKeys{cause})), ev)
		assert.True(t, out.StatusCode == want && out.Headers["WWW-Authenticate"] == "", "%v: %d %s", cause, out.StatusCode, out.Body)
	}
}

// noKeys is a Verifier that cannot verify anything.
type noKeys struct{ cause error }

func (n noKeys) VerifyAccess(string, game.Instant) (token.Caller, error) {
	return token.Caller{}, n.cause
}

// If a handler of a protected endpoint refuses the caller, as one who has been banned, the 401 has a challenge. A wrong
// password is no such refusal, and gets 403. The 401s of public endpoints have no challenge.
func TestHandlersUnauthorized(t *testing.T) {
	refuse := func(context.Context, *Request) (Response, error) { return Response{}, game.ErrUnauthorized }
	wrong := func(context.Context, *Request) (Response, error) { return Response{}, game.ErrWrongPassword }
	for name, test := range map[string]struct {
		endpoint  Endpoint
		challenge string
	}{
		"error behind authentication": {Protected("test", refuse, onlyToken("good")), invalidChallenge},
		"error of a public endpoint":  {Public("test", refuse, Fault("")), ""},
	} {
		ev := event("")
		ev.Headers = map[string]string{"authorization": "Bearer good"}
		out := invoke(t, quiet(test.endpoint), ev)
		assert.True(t, out.StatusCode == 401 && out.Body == `{"error":"UNAUTHORIZED"}` && out.Headers["WWW-Authenticate"] == test.challenge,
			"%s: got %d %s, challenge %q", name, out.StatusCode, out.Body, out.Headers["WWW-Authenticate"])
	}
	ev := event("")
	ev.Headers = map[string]string{"authorization": "Bearer good"}
	for status, endpoint := range map[int]Endpoint{403: Protected("test", wrong, onlyToken("good")), 401: Public("test", wrong, Fault(""))} {
		out := invoke(t, quiet(endpoint), ev)
		assert.True(t, out.StatusCode == status && out.Headers["WWW-Authenticate"] == "", "got %d %s", out.StatusCode, out.Body)
	}
}

// Protected panics without a verifier, because the endpoint would be public.
func TestProtectedEndpointNeedsAVerifier(t *testing.T) {
	defer func() {
		assert.NotNil(t, recover(), "made")
	}()
	Protected("test", returns(OK(1), nil), nil)
}

func TestPublicEndpointIgnoresCredentials(t *testing.T) {
	ev := event("")
	ev.Headers = map[string]string{"authorization": "Bearer bad"}
	out := invoke(t, quiet(Public("test", func(_ context.Context, r *Request) (Response, error) {
		if r.Caller != (token.Caller{}) {
			return Response{}, errors.New("there is a caller")
		}
		return OK(1), nil
	}, Fault(""))), ev)
	assert.Equal(t, 200, out.StatusCode, "got %d", out.StatusCode)
}
