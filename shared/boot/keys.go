package boot

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

const (
	developmentSecret = "local:development"
	developmentKey    = "the development key that everybody knows, and nobody uses in earnest"

	// startPatience limits the read of each version of the secret at a function's start, for which Lambda allows ten
	// seconds. readPatience limits each later read of the secret or of the table's keys, while a client waits.
	// attemptTimeout is how long an attempt to read the secret may be silent.
	startPatience  = 4 * time.Second
	readPatience   = 2 * time.Second
	attemptTimeout = 2 * time.Second
)

// record is where issuers publish public keys and verifiers read them: the table.
type record interface {
	PublicKeys(ctx context.Context) (map[string]string, error)
	PublishKeys(ctx context.Context, keys store.PublicKeys) error
}

// reader is a record that ignores PublishKeys, for a function that may not publish keys.
type reader struct{ record }

func (reader) PublishKeys(context.Context, store.PublicKeys) error { return nil }

// signingKeys returns the keys of a function that issues tokens. It logs problems with the keys, now and whenever the
// ring reads the secret again. It returns problems that prevent the start.
func (env environment) signingKeys(ctx context.Context, log *slog.Logger, clock func() time.Time, published record) (*token.Ring, error) {
	hs256 := token.HS256(cmp.Or(env("HS256_TOKENS"), string(token.Refused)))
	if hs256 != token.Refused && hs256 != token.Accepted && hs256 != token.Issued {
		return nil, fmt.Errorf("HS256_TOKENS=%s: must be %s, %s or %s", hs256, token.Refused, token.Accepted, token.Issued)
	}
	return env.ring(ctx, log, clock, hs256, published)
}

// ring returns the keys in the secret of SIGNING_KEYS_SECRET. hs256 says how to treat tokens signed with HMAC-SHA256.
func (env environment) ring(ctx context.Context, log *slog.Logger, clock func() time.Time, hs256 token.HS256, published record) (*token.Ring, error) {
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
		return env.developmentRing(ctx, log, readAt, maxAge, published)
	}
	secret, err := env.secret(id, log, hs256, published)
	if err != nil {
		return nil, err
	}
	keys, current, err := secret.atStart(ctx)
	if err != nil {
		return nil, err
	}
	if !current {
		readAt = time.Time{} // the current version has never been read
	}
	return token.NewRing(keys, readAt, maxAge, secret.again), nil
}

// publicKeys returns the keys of a function that only verifies tokens. It logs each failed read of the keys.
func (env environment) publicKeys(ctx context.Context, log *slog.Logger, clock func() time.Time, published record) (*token.Ring, error) {
	if env("SIGNING_KEYS_SECRET") != "" {
		return env.ring(ctx, log, clock, token.Accepted, reader{published})
	}
	maxAge, err := env.maxAge()
	if err != nil {
		return nil, err
	}
	read := func(patience time.Duration) (*token.Keys, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		public, err := published.PublicKeys(ctx)
		if err != nil {
			return nil, fmt.Errorf("cannot read the public keys of tokens from the table: %w", err)
		}
		keys, err := token.NewPublicKeys(public)
		if err != nil {
			return nil, unparsable{err}
		}
		return keys, nil
	}
	complaints, goingBy := complaints{log, env.metrics()}, nothing
	again := func() (*token.Keys, error) {
		keys, err := read(readPatience)
		if err != nil {
			complaints.add(err, goingBy)
			return nil, err
		}
		goingBy = inMemory
		return keys, nil
	}
	readAt := clock()
	keys, err := read(tablePatience)
	if err != nil { // start without keys: the first request reads them
		complaints.add(err, goingBy)
		readAt = time.Time{}
		if keys, err = token.NewPublicKeys(nil); err != nil {
			return nil, err
		}
	} else {
		goingBy = inMemory
	}
	return token.NewRing(keys, readAt, maxAge, again), nil
}

func (env environment) maxAge() (time.Duration, error) {
	text := env("KEYS_MAX_AGE")
	if text == "" {
		return token.MaxAge, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > token.MaxAge {
		return 0, fmt.Errorf("KEYS_MAX_AGE=%s: must be a duration above 0 and up to %v", text, token.MaxAge)
	}
	return d, nil
}

// developmentRing returns the public development key, which anyone can use to make tokens. It returns an error unless
// the DynamoDB endpoint is on this machine.
func (env environment) developmentRing(ctx context.Context, log *slog.Logger, readAt time.Time, maxAge time.Duration, published record) (*token.Ring, error) {
	if !isLoopback(env.endpoint("DYNAMODB")) {
		return nil, fmt.Errorf("SIGNING_KEYS_SECRET=%s is the public development key, which is only allowed with a local DynamoDB: set AWS_ENDPOINT_URL_DYNAMODB to an address of this machine, or SIGNING_KEYS_SECRET to a real secret", developmentSecret)
	}
	complaints := complaints{log, env.metrics()}
	again := func() (*token.Keys, error) {
		keys, err := DevelopmentKeys(ctx, published)
		if err != nil {
			complaints.add(unpublished{err}, inMemory)
		}
		return keys, err
	}
	keys, err := again()
	if keys == nil {
		return nil, err
	}
	if err != nil {
		readAt = time.Time{}
	}
	return token.NewRing(keys, readAt, maxAge, again), nil
}

// DevelopmentKeys returns the signing keys that functions with SIGNING_KEYS_SECRET=local:development use, and publishes
// the public keys. Tools on this machine use it to play many users without logging in each of them. If it cannot
// publish the keys, it returns both the keys and an error.
func DevelopmentKeys(ctx context.Context, published record) (*token.Keys, error) {
	keys, err := token.NewKeys("development", map[string][]byte{"development": []byte(developmentKey)})
	if err != nil {
		return nil, err
	}
	return keys, publish(ctx, published, store.PublicKeys{Secret: developmentSecret, Keys: keys.Public()})
}

// publish publishes the public keys within tablePatience, which is short because a client waits.
func publish(ctx context.Context, published record, keys store.PublicKeys) error {
	ctx, cancel := context.WithTimeout(ctx, tablePatience)
	defer cancel()
	return published.PublishKeys(ctx, keys)
}

func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return err == nil && address.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}
