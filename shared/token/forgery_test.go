package token_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

var (
	signing = tokentest.Key{ID: "k1", Secret: firstKey}
	other   = tokentest.Key{ID: "k2", Secret: secondKey}
)

func TestForgedTokens(t *testing.T) {
	keys := newKeys(t, "k1")
	refreshToken, _ := issueRefresh(t, keys)
	for kind, good := range map[string]string{"access": issueAccess(t, keys, now), "refresh": refreshToken} {
		invalid, expired := tokentest.Forgeries(t, good, now, signing, other)
		for want, forgeries := range map[error]map[string]string{token.ErrInvalid: invalid, token.ErrExpired: expired} {
			for name, text := range forgeries {
				_, err := verifiers(keys)[kind](text, now)
				assert.ErrorIs(t, err, want, "%s token, %s: got %v, want %v", kind, name, err, want)
			}
		}
	}
}

// Tokens of package tokentest without a flaw are accepted. So the service refuses the forgeries because of their flaws.
func TestHandmadeTokens(t *testing.T) {
	const ann = game.ID("abcdefab-1111-4111-8111-111111111111")
	keys := newKeys(t, "k1")
	for name, change := range map[string]func(*tokentest.Token){
		"nothing changed":    func(*tokentest.Token) {},
		"the other live key": func(k *tokentest.Token) { k.Header["kid"], k.Sign = other.ID, other.Sign },
		"a fast clock": func(k *tokentest.Token) {
			k.Claims["iat"], k.Claims["nbf"] = int64(now/1000)+60, int64(now/1000)+60
			k.Claims["exp"] = k.Claims["exp"].(int64) + 60
		},
		"issued in 1970":    func(k *tokentest.Token) { k.Claims["iat"] = 0 },
		"no iat":            func(k *tokentest.Token) { delete(k.Claims, "iat") },
		"sub in upper case": func(k *tokentest.Token) { k.Claims["sub"] = strings.ToUpper(string(ann)) },
		"several audiences": func(k *tokentest.Token) { k.Claims["aud"] = []any{"others", k.Claims["aud"]} },
	} {
		for kind, made := range map[string]tokentest.Token{"access": tokentest.Access(signing, ann, now), "refresh": tokentest.Refresh(signing, ann, now)} {
			change(&made)
			id, err := verifiers(keys)[kind](made.String(), now)
			assert.True(t, err == nil && id == ann, "%s token, %s: got %q, %v", kind, name, id, err)
		}
	}
}

// A deployment moves from HMAC-SHA256 to Ed25519 without ending a session. First all verifiers accept both algorithms.
// Then functions sign with Ed25519. When all old tokens have expired, verifiers accept only Ed25519.
func TestFromHS256ToEd25519(t *testing.T) {
	for name, test := range map[string]struct {
		hs256     token.HS256
		issues    string
		takesBoth bool
	}{
		"every function learns both": {token.Issued, "HS256", true},
		"Ed25519 signs":              {token.Accepted, "EdDSA", true},
		"it is over":                 {token.Refused, "EdDSA", false},
	} {
		keys := newKeys(t, "k1").With(test.hs256)
		alg := tokentest.Parse(t, issueAccess(t, keys, now)).Header["alg"]
		assert.True(t, alg == test.issues, "%s: %v is signed", name, alg)
		for _, by := range []token.HS256{token.Issued, token.Accepted} {
			issuer := newKeys(t, "k1").With(by)
			want := by != token.Issued || test.takesBoth
			refreshToken, _ := issueRefresh(t, issuer)
			_, accessErr := keys.VerifyAccess(issueAccess(t, issuer, now), now)
			_, refreshErr := keys.VerifyRefresh(refreshToken, now)
			assert.True(t, (accessErr == nil) == want && (refreshErr == nil) == want,
				"%s: tokens of who has them %s: %v, %v", name, by, accessErr, refreshErr)
		}
		// In no case does a public key verify HMAC-SHA256.
		forged := tokentest.Access(signing, userID, now)
		forged.Header["alg"] = "HS256"
		for _, public := range keys.Public() {
			forged.Sign = tokentest.HS256([]byte(public))
			_, err := keys.VerifyAccess(forged.String(), now)
			assert.ErrorIs(t, err, token.ErrInvalid, "%s: a token made with a public key: %v", name, err)
		}
	}
}

// Public keys verify tokens that the private keys have signed, and sign nothing. They never accept HMAC-SHA256.
func TestPublicKeys(t *testing.T) {
	keys := newKeys(t, "k1")
	public, err := token.NewPublicKeys(keys.Public())
	require.NoError(t, err)
	_, err = public.VerifyAccess(issueAccess(t, keys, now), now)
	assert.NoError(t, err)
	text, err := public.IssueAccess(user, now)
	assert.Error(t, err, "they have signed %s", text)
	_, err = public.With(token.Accepted).VerifyAccess(issueAccess(t, keys.With(token.Issued), now), now)
	assert.ErrorIs(t, err, token.ErrInvalid, "a token of HMAC-SHA256: %v", err)
	empty := tokentest.Access(signing, userID, now)
	empty.Header["alg"], empty.Sign = "HS256", tokentest.HS256(nil)
	_, err = public.With(token.Accepted).VerifyAccess(empty.String(), now)
	assert.ErrorIs(t, err, token.ErrInvalid, "a token of HMAC-SHA256 with no key: %v", err)
	invalid, _ := tokentest.Forgeries(t, issueAccess(t, keys, now), now, signing, other)
	for name, text := range invalid {
		_, err := public.VerifyAccess(text, now)
		assert.ErrorIs(t, err, token.ErrInvalid, "%s: %v", name, err)
	}
	for name, wrong := range map[string]map[string]string{
		"no id": {"": keys.Public()["k1"]}, "short": {"k1": keys.Public()["k1"][:42]}, "empty": {"k1": ""}, "padded": {"k1": keys.Public()["k1"] + "="},
		"no base64": {"k1": "SENSITIVE!"},
	} {
		k, err := token.NewPublicKeys(wrong)
		assert.True(t, k == nil && err != nil && !strings.Contains(err.Error(), "SENSITIVE"), "%s: %v", name, err)
	}
	none, err := token.NewPublicKeys(nil)
	require.NoError(t, err)
	_, err = none.VerifyAccess(issueAccess(t, keys, now), now)
	assert.ErrorIs(t, err, token.ErrInvalid, "without any: %v", err)
}

// The key pair that is derived from a key's text must never change, because another key pair would end every session.
func TestDerivedKey(t *testing.T) {
	const want = "l8H_F5IrGVv8ocoe1RP7Y-gN_N4xcDLRp5VAfVaNS08"
	got := newKeys(t, "k1").Public()["k1"]
	assert.Equal(t, want, got, "got %s", got)
}
