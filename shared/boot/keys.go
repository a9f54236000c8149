package boot

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/token"
)

const (
	developmentSecret = "local:development"
	developmentKey    = "the development key that everybody knows, and nobody uses in earnest"

	// startPatience is for all attempts to read a version of the secret when the function starts, for which Lambda
	// allows ten seconds; readPatience is for those of a function that has keys, while a client waits.
	startPatience  = 4 * time.Second
	readPatience   = 2 * time.Second
	attemptTimeout = 2 * time.Second
)

// ring returns the keys, and logs what is wrong with the secret, then and later.
func (env environment) ring(ctx context.Context, log *slog.Logger, clock func() time.Time) (*token.Ring, error) {
	id, err := env.required("SIGNING_KEYS_SECRET")
	if err != nil {
		return nil, err
	}
	maxAge, err := env.maxAge()
	if err != nil {
		return nil, err
	}
	readAt := clock()
	if id == developmentSecret {
		keys, err := env.developmentKeys()
		if err != nil {
			return nil, err
		}
		return token.NewRing(keys, readAt, maxAge, func() (*token.Keys, error) { return keys, nil }), nil
	}
	secret, err := env.secret(id, log)
	if err != nil {
		return nil, err
	}
	keys, current, err := secret.atStart(ctx)
	if err != nil {
		return nil, err
	}
	if !current {
		readAt = time.Time{} // of the current version: never
	}
	return token.NewRing(keys, readAt, maxAge, secret.again), nil
}

func (env environment) maxAge() (time.Duration, error) {
	text := env("SIGNING_KEYS_MAX_AGE")
	if text == "" {
		return token.MaxAge, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > token.MaxAge {
		return 0, fmt.Errorf("SIGNING_KEYS_MAX_AGE=%s is no duration above 0 and up to %v", text, token.MaxAge)
	}
	return d, nil
}

// developmentKeys stay on this machine: with them anybody can pass for any user.
func (env environment) developmentKeys() (*token.Keys, error) {
	if !isLoopback(env.endpoint("DYNAMODB")) {
		return nil, fmt.Errorf("SIGNING_KEYS_SECRET=%s needs AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL to be on this machine", developmentSecret)
	}
	return DevelopmentKeys()
}

// DevelopmentKeys returns what functions sign with that have SIGNING_KEYS_SECRET=local:development, for tools on this
// machine that play many users and cannot log each of them in.
func DevelopmentKeys() (*token.Keys, error) {
	return token.NewKeys("development", map[string][]byte{"development": []byte(developmentKey)})
}

func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return err == nil && address.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}
