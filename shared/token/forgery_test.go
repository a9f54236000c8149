package token_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/token"
)

// forgery changes one thing about a good access token.
type forgery struct {
	header map[string]any
	claims map[string]any
	method jwt.SigningMethod
	key    any
}

func goodToken() forgery {
	return forgery{
		header: map[string]any{"typ": "at+jwt", "kid": "k1"},
		claims: map[string]any{"sub": string(userID), "iss": "ranch", "aud": "ranch-api", "exp": float64(now/1000 + 60)},
		method: jwt.SigningMethodHS256,
		key:    firstKey,
	}
}

func (f forgery) sign(t *testing.T) string {
	t.Helper()
	made := jwt.NewWithClaims(f.method, jwt.MapClaims(f.claims))
	maps.Copy(made.Header, f.header)
	signed, err := made.SignedString(f.key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestForgedTokens(t *testing.T) {
	keys := newKeys(t, "k1")
	for name, test := range map[string]struct {
		change func(*forgery)
		want   error
	}{
		"nothing changed":         {func(f *forgery) {}, nil},
		"issued in the future":    {func(f *forgery) { f.claims["iat"] = float64(now/1000 + 30) }, nil},
		"sub in upper case":       {func(f *forgery) { f.claims["sub"] = "ABCDEFAB-1111-4111-8111-111111111111" }, nil},
		"expired":                 {func(f *forgery) { f.claims["exp"] = float64(now / 1000) }, token.ErrExpired},
		"expired, wrong audience": {func(f *forgery) { f.claims["exp"], f.claims["aud"] = 1.0, "ranch-refresh" }, token.ErrInvalid},
		"expired, wrong key":      {func(f *forgery) { f.claims["exp"], f.key = 1.0, secondKey }, token.ErrInvalid},
		"expired, wrong type":     {func(f *forgery) { f.claims["exp"], f.header["typ"] = 1.0, "JWT" }, token.ErrInvalid},
		"expired, no user":        {func(f *forgery) { f.claims["exp"], f.claims["sub"] = 1.0, "" }, token.ErrInvalid},
		"no expiry":               {func(f *forgery) { delete(f.claims, "exp") }, token.ErrInvalid},
		"expiry null":             {func(f *forgery) { f.claims["exp"] = nil }, token.ErrInvalid},
		"expiry a text":           {func(f *forgery) { f.claims["exp"] = "tomorrow" }, token.ErrInvalid},
		"no audience":             {func(f *forgery) { delete(f.claims, "aud") }, token.ErrInvalid},
		"other audience":          {func(f *forgery) { f.claims["aud"] = "ranch" }, token.ErrInvalid},
		"no issuer":               {func(f *forgery) { delete(f.claims, "iss") }, token.ErrInvalid},
		"other issuer":            {func(f *forgery) { f.claims["iss"] = "ranch2" }, token.ErrInvalid},
		"no sub":                  {func(f *forgery) { delete(f.claims, "sub") }, token.ErrInvalid},
		"sub no UUID":             {func(f *forgery) { f.claims["sub"] = "ann" }, token.ErrInvalid},
		"sub a number":            {func(f *forgery) { f.claims["sub"] = 5 }, token.ErrInvalid},
		"generic type":            {func(f *forgery) { f.header["typ"] = "JWT" }, token.ErrInvalid},
		"no type":                 {func(f *forgery) { f.header["typ"] = nil }, token.ErrInvalid},
		"unknown key id":          {func(f *forgery) { f.header["kid"] = "k3" }, token.ErrInvalid},
		"no key id":               {func(f *forgery) { delete(f.header, "kid") }, token.ErrInvalid},
		"key id a number":         {func(f *forgery) { f.header["kid"] = 1 }, token.ErrInvalid},
		"key of another id":       {func(f *forgery) { f.header["kid"] = "k2" }, token.ErrInvalid},
		"signed with another key": {func(f *forgery) { f.key = secondKey }, token.ErrInvalid},
		"HS384":                   {func(f *forgery) { f.method = jwt.SigningMethodHS384 }, token.ErrInvalid},
		"HS512":                   {func(f *forgery) { f.method = jwt.SigningMethodHS512 }, token.ErrInvalid},
		"unsigned":                {func(f *forgery) { f.method, f.key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType }, token.ErrInvalid},
	} {
		f := goodToken()
		test.change(&f)
		if _, err := keys.VerifyAccess(f.sign(t), now); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

func TestRubbishIsInvalid(t *testing.T) {
	keys := newKeys(t, "k1")
	good := issueAccess(t, keys)
	for _, text := range []string{"", ".", "..", "...", "a.b.c", "Bearer " + good, good + ".", good + "x", good + "=", " " + good, good + "\n",
		"\r" + good, strings.Repeat("A", 65_536)} {
		if _, err := keys.VerifyAccess(text, now); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// No other text than the one that was issued passes: also none that decodes to the same bytes.
func TestEveryCharacterOfATokenCounts(t *testing.T) {
	keys := newKeys(t, "k1")
	good := issueAccess(t, keys)
	last := len(good) - 1 // of its six bits the signature uses four
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if _, err := keys.VerifyAccess(good[:last]+string(c), now); byte(c) != good[last] && !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%c in the place of %c: %v", c, good[last], err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(good)-1).Draw(t, "position")
		c := rapid.StringMatching(`[A-Za-z0-9_.\-]`).Draw(t, "character")
		changed := good[:i] + c + good[i+1:]
		if _, err := keys.VerifyAccess(changed, now); changed != good && !errors.Is(err, token.ErrInvalid) {
			t.Fatalf("position %d of %s: %v", i, good, err)
		}
	})
}
