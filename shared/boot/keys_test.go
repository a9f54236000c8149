package boot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// tokens issues and verifies tokens, as token.Keys and token.Ring do.
type tokens interface {
	IssueAccess(u game.User, now game.Instant) (string, error)
	VerifyAccess(token string, now game.Instant) (token.Caller, error)
}

// published stands in for the table. It counts reads. If fails is not nil, its methods return fails.
type published struct {
	fails     error
	published []store.PublicKeys
	reads     int
}

func (x *published) PublicKeys(context.Context) (map[string]string, error) {
	x.reads++
	if x.fails != nil || len(x.published) == 0 {
		return nil, x.fails
	}
	return x.published[len(x.published)-1].Keys, nil
}

func (x *published) PublishKeys(_ context.Context, keys store.PublicKeys) error {
	if x.fails == nil {
		x.published = append(x.published, keys)
	}
	return x.fails
}

func (v variables) ring(t *testing.T) (*token.Ring, error) {
	t.Helper()
	return v.environment().signingKeys(t.Context(), newLogger(io.Discard), time.Now, &published{})
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
		"localhost:8000":         false, // not a URL with a host
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
			assert.True(t, (err == nil) == want && (keys != nil) == want, "%s=%s: %v", variable, endpoint, err)
		}
	}
}

// The endpoint that decides is the one in use: AWS_ENDPOINT_URL_DYNAMODB overrides AWS_ENDPOINT_URL.
func TestDevelopmentKeyGoesByTheEndpointInUse(t *testing.T) {
	const here, elsewhere = "http://127.0.0.1:8000", "http://example.com"
	for _, test := range []struct {
		own, general string
		want         bool
	}{{here, elsewhere, true}, {elsewhere, here, false}} {
		env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL_DYNAMODB": test.own, "AWS_ENDPOINT_URL": test.general}
		_, err := env.ring(t)
		assert.Equal(t, test.want, (err == nil), "%+v: %v", test, err)
	}
}

func TestKeysMaxAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 5 * time.Minute, "5m": 5 * time.Minute, "1s": time.Second, "5m1ms": 0, "0s": 0, "-1s": 0, "60": 0, "soon": 0,
	} {
		env := variables{"KEYS_MAX_AGE": text}.environment()
		got, err := env.maxAge()
		assert.True(t, got == want && (err == nil) == (want > 0), "%q: %v, %v", text, got, err)
	}
	env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL": "http://localhost", "KEYS_MAX_AGE": "6m"}
	_, err := env.ring(t)
	assert.True(t, err != nil && strings.Contains(err.Error(), "KEYS_MAX_AGE=6m: must be a duration above 0 and up to 5m0s"),
		"an age that is too high: %v", err)
}

func verifies(t *testing.T, issuer, verifier tokens) {
	t.Helper()
	issued, err := issuer.IssueAccess(game.User{ID: game.NewID()}, 0)
	require.NoError(t, err)
	_, err = verifier.VerifyAccess(issued, 0)
	assert.NoError(t, err)
}

// An issuer with the development key publishes its public key, so that verifiers find it.
func TestDevelopmentKeyIsPublished(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	var written published
	env := awsVariables()
	env["SIGNING_KEYS_SECRET"], env["AWS_ENDPOINT_URL"] = "local:development", "http://localhost"
	issuer, err := env.environment().signingKeys(t.Context(), newLogger(io.Discard), now.Time, &written)
	require.NoError(t, err)
	signer(t, issuer, now.Add(maxAge)-1)
	expect(t, "publications", len(written.published), 1)
	signer(t, issuer, now.Add(maxAge))
	expect(t, "publications after KEYS_MAX_AGE", len(written.published), 2)
	verifier, err := variables{}.environment().publicKeys(t.Context(), newLogger(io.Discard), time.Now, &written)
	require.NoError(t, err)
	verifies(t, issuer, verifier)
}

// A verifier reads the published keys at its start, and again when they are old. If the table does not answer, the
// verifier keeps its keys and logs the problem. If it has no keys, verification fails with the table's error.
func TestPublicKeys(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	var written published
	var log bytes.Buffer
	issuer, err := token.NewKeys("k1", map[string][]byte{"k1": []byte(someKey("k"))})
	require.NoError(t, err)
	start := func() (*token.Ring, error) {
		return awsVariables().environment().publicKeys(t.Context(), newLogger(&log), now.Time, &written)
	}
	check := func(what string, keys *token.Ring, at game.Instant, want error, reads int) {
		t.Helper()
		text, err := issuer.IssueAccess(game.User{ID: game.NewID()}, at)
		require.NoError(t, err)
		_, err = keys.VerifyAccess(text, at)
		assert.ErrorIs(t, err, want, "%s: %v", what, err)
		expect(t, what+": reads", written.reads, reads)
	}
	keys, err := start()
	require.NoError(t, err)
	check("before there are any", keys, now, token.ErrInvalid, 2)
	written.published = []store.PublicKeys{{Keys: issuer.Public()}}
	check("once they are published", keys, now, nil, 3) // at once, without a pause after the last read
	keys, err = start()
	require.NoError(t, err)
	check("as long as they are young", keys, now.Add(maxAge)-1, nil, 4)
	written.fails = errors.New("no answer")
	check("while the table does not answer", keys, now.Add(maxAge), nil, 5)
	expect(t, "log", logged(t, &log), complaint("WARN", "unreadable", "the keys in memory"))
	late, err := start()
	require.NoError(t, err)
	check("started without the table", late, now, written.fails, 7)
	expect(t, "log", logged(t, &log), append(complaint("WARN", "unreadable", "none"), complaint("WARN", "unreadable", "none")...))
	written.fails = nil
	check("started without the table, which is back", late, now, nil, 8)
	written.published = []store.PublicKeys{{Keys: map[string]string{"k1": "SENSITIVE"}}}
	check("with rubbish in the table", late, now.Add(maxAge), nil, 9)
	said := complaint("ERROR", "unparsable", "the keys in memory")
	delete(said[0], "_aws") // awsVariables has no METRICS_NAMESPACE
	expect(t, "log", logged(t, &log), said)
}

// silentTable does not answer.
type silentTable struct{}

func (silentTable) PublicKeys(ctx context.Context) (map[string]string, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silentTable) PublishKeys(ctx context.Context, _ store.PublicKeys) error {
	<-ctx.Done()
	return ctx.Err()
}

// A silent table delays a start or a publication by a second, and a request that reads the keys by two seconds.
func TestASilentTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := func(what string, want time.Duration, do func()) {
			t.Helper()
			start := time.Now()
			if do(); time.Since(start) != want {
				t.Errorf("%s takes %v, want %v", what, time.Since(start), want)
			}
		}
		var verifier, issuer *token.Ring
		var err error
		took("the start of who verifies", time.Second, func() {
			verifier, err = variables{}.environment().publicKeys(t.Context(), newLogger(io.Discard), time.Now, silentTable{})
		})
		require.NoError(t, err)
		env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL": "http://localhost"}.environment()
		took("the start of who issues", time.Second, func() {
			issuer, err = env.signingKeys(t.Context(), newLogger(io.Discard), time.Now, silentTable{})
		})
		require.NoError(t, err)
		now := game.InstantOf(time.Now())
		var text string
		took("a token", time.Second, func() { text, err = issuer.IssueAccess(game.User{ID: game.NewID()}, now) })
		require.NoError(t, err)
		took("a request", 2*time.Second, func() { _, err = verifier.VerifyAccess(text, now) })
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// While a deployment has tokens from before Ed25519, a verifier reads its keys from the secret, and publishes nothing.
func TestPublicKeysOfASwitchOver(t *testing.T) {
	manager := newSecretsManager(t, secretOf("k1", "k1"))
	for mode, issues := range map[string]any{"issued": "HS256", "accepted": "EdDSA", "refused": "EdDSA", "": "EdDSA"} {
		var written published
		env := manager.environment()
		env["HS256_TOKENS"] = mode
		issuer, err := env.environment().signingKeys(t.Context(), newLogger(io.Discard), time.Now, &written)
		require.NoError(t, err)
		expect(t, mode+": algorithm", header(t, issuer, 0)["alg"], issues)
		verifier, err := manager.environment().environment().publicKeys(t.Context(), newLogger(io.Discard), time.Now, &written)
		require.NoError(t, err)
		verifies(t, issuer, verifier)
		expect(t, mode+": publications", len(written.published), 1)
		expect(t, mode+": reads of the table", written.reads, 0)
	}
	env := manager.environment()
	env["HS256_TOKENS"] = "maybe"
	_, err := env.ring(t)
	assert.True(t, err != nil && strings.Contains(err.Error(), "HS256_TOKENS=maybe: must be refused, accepted or issued"), err)
}
