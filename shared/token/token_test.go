package token_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

const (
	now    = game.Instant(1_795_167_000_250) // a quarter of a second after a whole one
	userID = game.ID("11111111-1111-4111-8111-111111111111")
)

var (
	user = game.User{ID: userID, Username: "Ann", Email: "ann@example.com", Status: game.UserActive}

	firstKey  = []byte(strings.Repeat("1", 32))
	secondKey = []byte(strings.Repeat("2", 64))
)

func TestAccessToken(t *testing.T) {
	keys := newKeys(t, "k1")
	caller, err := keys.VerifyAccess(issueAccess(t, keys, now), now)
	require.NoError(t, err)
	want := token.Caller{ID: userID, Username: "Ann", Email: "ann@example.com", Status: "active"}
	assert.Empty(t, cmp.Diff(want, caller))
}

func TestRefreshToken(t *testing.T) {
	keys := newKeys(t, "k1")
	text, record := issueRefresh(t, keys)
	id, err := keys.VerifyRefresh(text, now)
	assert.True(t, err == nil && id == userID, "got %q, %v", id, err)
	want := game.RefreshRecord{ID: record.ID, UserID: userID, Digest: token.Digest(text), ExpiresAt: now + 30*24*60*60*1000}
	assert.Empty(t, cmp.Diff(want, record))
	_, ok := game.ParseID(string(record.ID))
	assert.True(t, ok, "record id %q", record.ID)
}

// The exact content of the tokens, apart from their random ids.
func TestTokenContents(t *testing.T) {
	keys := newKeys(t, "k1")
	refreshToken, _ := issueRefresh(t, keys)
	const ann = `"sub":"11111111-1111-4111-8111-111111111111"`
	for _, test := range []struct {
		text, typ, claims string
	}{
		{issueAccess(t, keys, now), "at+jwt",
			`{"aud":["ranch-api"],"email":"ann@example.com","exp":1795167900,"iat":1795167000,"iss":"ranch","status":"active",` + ann + `,"username":"Ann"}`},
		{issueAccess(t, keys, now+7_000), "at+jwt",
			`{"aud":["ranch-api"],"email":"ann@example.com","exp":1795167907,"iat":1795167007,"iss":"ranch","status":"active",` + ann + `,"username":"Ann"}`},
		{refreshToken, "rt+jwt", `{"aud":["ranch-refresh"],"exp":1797759000,"iat":1795167000,"iss":"ranch",` + ann + `}`},
	} {
		parsed := tokentest.Parse(t, test.text)
		assert.Empty(t, cmp.Diff(map[string]any{"alg": "EdDSA", "kid": "k1", "typ": test.typ}, parsed.Header), "header")
		jti, _ := parsed.Claims["jti"].(string)
		assert.True(t, len(jti) >= 22, "jti %v is no random text", parsed.Claims["jti"])
		delete(parsed.Claims, "jti")
		claims, err := json.Marshal(parsed.Claims)
		assert.True(t, err == nil && string(claims) == test.claims, "claims %s, %v, want %s", claims, err, test.claims)
	}
}

// Two tokens of one user issued at the same instant differ, and so do the digests of refresh tokens.
func TestTokensDiffer(t *testing.T) {
	keys := newKeys(t, "k1")
	first, second := issueAccess(t, keys, now), issueAccess(t, keys, now)
	assert.True(t, first != second, "two access tokens are equal")
	a, recordA := issueRefresh(t, keys)
	b, recordB := issueRefresh(t, keys)
	assert.True(t, a != b && recordA.Digest != recordB.Digest && recordA.ID != recordB.ID, "two refresh tokens are equal")
}

// An access token expires at its exp, and a refresh token a second later, because its record decides until then.
func TestExpiry(t *testing.T) {
	keys := newKeys(t, "k1")
	accessToken := issueAccess(t, keys, now)
	refreshToken, record := issueRefresh(t, keys)
	const accessExpiry, refreshExpiry = game.Instant(1_795_167_900_000), game.Instant(1_797_759_001_000)
	assert.True(t, refreshExpiry >= record.ExpiresAt, "the token expires before its record, %v", record.ExpiresAt)
	for kind, of := range map[string]struct {
		text   string
		expiry game.Instant
	}{"access": {accessToken, accessExpiry}, "refresh": {refreshToken, refreshExpiry}} {
		verify := verifiers(keys)[kind]
		for at, want := range map[game.Instant]error{
			now - 60_000: nil, of.expiry - 1: nil, // the first on a machine whose clock is slow
			of.expiry: token.ErrExpired, of.expiry + 1: token.ErrExpired, of.expiry + 1_000_000: token.ErrExpired,
		} {
			_, err := verify(of.text, at)
			assert.ErrorIs(t, err, want, "%s token at %v: %v, want %v", kind, at, err, want)
		}
	}
}

func TestDigest(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	got := token.Digest("abc")
	assert.Equal(t, want, got, "got %s", got)
}

// newKeys returns two live keys, k1 and k2. The key current signs.
func newKeys(t testing.TB, current string) *token.Keys {
	t.Helper()
	keys, err := token.NewKeys(current, map[string][]byte{"k1": firstKey, "k2": secondKey})
	require.NoError(t, err)
	return keys
}

// issueAccess returns a token of Keys or of a Ring.
func issueAccess(t rapid.TB, issuer interface {
	IssueAccess(game.User, game.Instant) (string, error)
}, at game.Instant) string {
	t.Helper()
	text, err := issuer.IssueAccess(user, at)
	require.NoError(t, err)
	return text
}

func issueRefresh(t *testing.T, keys *token.Keys) (string, game.RefreshRecord) {
	t.Helper()
	text, record, err := keys.IssueRefresh(userID, now)
	require.NoError(t, err)
	return text, record
}

// verifiers returns, for each kind of token, a function that verifies a token and returns its user.
func verifiers(keys *token.Keys) map[string]func(text string, at game.Instant) (game.ID, error) {
	return map[string]func(string, game.Instant) (game.ID, error){
		"access": func(text string, at game.Instant) (game.ID, error) {
			caller, err := keys.VerifyAccess(text, at)
			return caller.ID, err
		},
		"refresh": keys.VerifyRefresh,
	}
}
