package boot

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// tokens is what functions do with keys.
type tokens interface {
	IssueAccess(u game.User, now game.Instant) (string, error)
	VerifyAccess(token string, now game.Instant) (token.Caller, error)
}

func (v variables) ring(t *testing.T) (*token.Ring, error) {
	t.Helper()
	return v.environment().ring(t.Context(), newLogger(io.Discard), time.Now)
}

func TestDevelopmentKeyStaysOnThisMachine(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"http://127.0.0.1:8000":  true,
		"http://127.8.9.1":       true,
		"http://[::1]:8000":      true,
		"http://localhost:8000/": true,
		"http://LOCALHOST":       true,
		"":                       false,
		"http://":                false,
		"localhost:8000":         false, // no URL with a host
		"127.0.0.1":              false,
		"http://dynamodb.eu-west-1.amazonaws.com":         false,
		"http://localhost.example.com":                    false,
		"http://127.0.0.1.example.com":                    false,
		"http://localhost@example.com":                    false,
		"http://example.com/127.0.0.1":                    false,
		"http://example.com?http://localhost":             false,
		"http://10.0.0.1:8000":                            false,
		"http://0.0.0.0:8000":                             false,
		"http://128.0.0.1":                                false,
		"http://[::2]:8000":                               false,
		"http://[fe80::1]":                                false,
		"://localhost":                                    false,
		"http://dynamodb.localhost.localstack.cloud:4566": false,
	} {
		for _, variable := range []string{"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"} {
			env := variables{"SIGNING_KEYS_SECRET": "local:development", variable: endpoint}
			keys, err := env.ring(t)
			if (err == nil) != want || (keys != nil) != want {
				t.Errorf("%s=%s: %v", variable, endpoint, err)
			}
		}
	}
}

// The endpoint that decides is the one that the client uses: the service's own goes before the general one.
func TestDevelopmentKeyGoesByTheEndpointInUse(t *testing.T) {
	const here, elsewhere = "http://127.0.0.1:8000", "http://example.com"
	for _, test := range []struct {
		own, general string
		want         bool
	}{{here, elsewhere, true}, {elsewhere, here, false}} {
		env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL_DYNAMODB": test.own, "AWS_ENDPOINT_URL": test.general}
		if _, err := env.ring(t); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestKeysMaxAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 5 * time.Minute, "5m": 5 * time.Minute, "1s": time.Second, "5m1ms": 0, "0s": 0, "-1s": 0, "60": 0, "soon": 0,
	} {
		env := variables{"SIGNING_KEYS_MAX_AGE": text}.environment()
		if got, err := env.maxAge(); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL": "http://localhost", "SIGNING_KEYS_MAX_AGE": "6m"}
	if _, err := env.ring(t); err == nil || !strings.Contains(err.Error(), "SIGNING_KEYS_MAX_AGE=6m is no duration above 0 and up to 5m0s") {
		t.Errorf("an age that is too high: %v", err)
	}
}

func verifies(t *testing.T, issuer, verifier tokens) {
	t.Helper()
	issued, err := issuer.IssueAccess(game.User{ID: game.NewID()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier.VerifyAccess(issued, 0); err != nil {
		t.Error(err)
	}
}
