package token

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"pgregory.net/rapid"
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
	token := jwt.NewWithClaims(f.method, jwt.MapClaims(f.claims))
	maps.Copy(token.Header, f.header)
	signed, err := token.SignedString(f.key)
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
		"expired":                 {func(f *forgery) { f.claims["exp"] = float64(now / 1000) }, ErrExpired},
		"expired, wrong audience": {func(f *forgery) { f.claims["exp"], f.claims["aud"] = 1.0, "ranch-refresh" }, ErrInvalid},
		"expired, wrong key":      {func(f *forgery) { f.claims["exp"], f.key = 1.0, secondKey }, ErrInvalid},
		"expired, wrong type":     {func(f *forgery) { f.claims["exp"], f.header["typ"] = 1.0, "JWT" }, ErrInvalid},
		"expired, no user":        {func(f *forgery) { f.claims["exp"], f.claims["sub"] = 1.0, "" }, ErrInvalid},
		"no expiry":               {func(f *forgery) { delete(f.claims, "exp") }, ErrInvalid},
		"expiry null":             {func(f *forgery) { f.claims["exp"] = nil }, ErrInvalid},
		"expiry a text":           {func(f *forgery) { f.claims["exp"] = "tomorrow" }, ErrInvalid},
		"no audience":             {func(f *forgery) { delete(f.claims, "aud") }, ErrInvalid},
		"other audience":          {func(f *forgery) { f.claims["aud"] = "ranch" }, ErrInvalid},
		"no issuer":               {func(f *forgery) { delete(f.claims, "iss") }, ErrInvalid},
		"other issuer":            {func(f *forgery) { f.claims["iss"] = "ranch2" }, ErrInvalid},
		"no sub":                  {func(f *forgery) { delete(f.claims, "sub") }, ErrInvalid},
		"sub no UUID":             {func(f *forgery) { f.claims["sub"] = "ann" }, ErrInvalid},
		"sub a number":            {func(f *forgery) { f.claims["sub"] = 5 }, ErrInvalid},
		"generic type":            {func(f *forgery) { f.header["typ"] = "JWT" }, ErrInvalid},
		"no type":                 {func(f *forgery) { f.header["typ"] = nil }, ErrInvalid},
		"unknown key id":          {func(f *forgery) { f.header["kid"] = "k3" }, ErrInvalid},
		"no key id":               {func(f *forgery) { delete(f.header, "kid") }, ErrInvalid},
		"key id a number":         {func(f *forgery) { f.header["kid"] = 1 }, ErrInvalid},
		"key of another id":       {func(f *forgery) { f.header["kid"] = "k2" }, ErrInvalid},
		"signed with another key": {func(f *forgery) { f.key = secondKey }, ErrInvalid},
		"HS384":                   {func(f *forgery) { f.method = jwt.SigningMethodHS384 }, ErrInvalid},
		"HS512":                   {func(f *forgery) { f.method = jwt.SigningMethodHS512 }, ErrInvalid},
		"unsigned":                {func(f *forgery) { f.method, f.key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType }, ErrInvalid},
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
	for _, token := range []string{"", ".", "..", "...", "a.b.c", "Bearer " + good, good + ".", good + "x", good + "=", " " + good, good + "\n",
		"\r" + good, strings.Repeat("A", 65_536)} {
		if _, err := keys.VerifyAccess(token, now); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.40q: %v", token, err)
		}
	}
}

// No other text than the one that was issued passes: also none that decodes to the same bytes.
func TestEveryCharacterOfATokenCounts(t *testing.T) {
	keys := newKeys(t, "k1")
	good := issueAccess(t, keys)
	last := len(good) - 1 // of its six bits the signature uses four
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if _, err := keys.VerifyAccess(good[:last]+string(c), now); byte(c) != good[last] && !errors.Is(err, ErrInvalid) {
			t.Errorf("%c in the place of %c: %v", c, good[last], err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(good)-1).Draw(t, "position")
		c := rapid.StringMatching(`[A-Za-z0-9_.\-]`).Draw(t, "character")
		changed := good[:i] + c + good[i+1:]
		if _, err := keys.VerifyAccess(changed, now); changed != good && !errors.Is(err, ErrInvalid) {
			t.Fatalf("position %d of %s: %v", i, good, err)
		}
	})
}
