package functiontest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// The signing keys of benches: k2 signs, k1 did and is still live, k0 is retired.
var signingKeys = map[string][]byte{
	"k0": []byte("the signing key of the year before last"),
	"k1": []byte("the signing key of the year before this"),
	"k2": []byte("the signing key of this very year, 2026"),
}

// Keys are the keys that benches' endpoints have.
func Keys() *token.Keys { return ring("k2", "k1") }

// OlderKeys issue tokens as they were issued before the last change of keys.
func OlderKeys() *token.Keys { return ring("k1") }

// RetiredKeys issue tokens as they were issued before the last but one.
func RetiredKeys() *token.Keys { return ring("k0") }

func ring(current string, others ...string) *token.Keys {
	live := map[string][]byte{current: signingKeys[current]}
	for _, kid := range others {
		live[kid] = signingKeys[kid]
	}
	keys, err := token.NewKeys(current, live)
	if err != nil {
		panic(err)
	}
	return keys
}

// Access returns an access token for the user that is issued at the bench's time.
func (b *Bench) Access(t testing.TB, u game.User) string { return AccessBy(t, Keys(), u, b.Now) }

// AccessBy returns an access token for the user.
func AccessBy(t testing.TB, keys *token.Keys, u game.User, now game.Instant) string {
	t.Helper()
	issued, err := keys.IssueAccess(u, now)
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

// RefreshBy returns a refresh token for the user, with its record.
func RefreshBy(t testing.TB, keys *token.Keys, user game.ID, now game.Instant) (string, game.RefreshRecord) {
	t.Helper()
	issued, record, err := keys.IssueRefresh(user, now)
	if err != nil {
		t.Fatal(err)
	}
	return issued, record
}

// Token is a token in the making, by other hands than the service's.
type Token struct {
	Header, Claims map[string]any
	Method         jwt.SigningMethod
	Key            any
}

// AccessToken is a good access token, as long as nothing of it is changed.
func AccessToken(user game.ID, now game.Instant) Token {
	return handmade("at+jwt", "ranch-api", user, now)
}

// RefreshToken is a good refresh token, as long as nothing of it is changed.
func RefreshToken(user game.ID, now game.Instant) Token {
	return handmade("rt+jwt", "ranch-refresh", user, now)
}

func handmade(typ, audience string, user game.ID, now game.Instant) Token {
	return Token{
		Header: map[string]any{"typ": typ, "kid": "k2"},
		Claims: map[string]any{
			"sub": string(user), "iss": "ranch", "aud": audience, "jti": rand.Text(), "iat": int64(now) / 1000, "exp": int64(now)/1000 + 60,
		},
		Method: jwt.SigningMethodHS256, Key: signingKeys["k2"],
	}
}

// Sign returns the token's text.
func (k Token) Sign(t testing.TB) string {
	t.Helper()
	made := jwt.NewWithClaims(k.Method, jwt.MapClaims(k.Claims))
	maps.Copy(made.Header, k.Header)
	text, err := made.SignedString(k.Key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Forgeries returns tokens of the kind that good makes, each with one thing about it that makes it no token of the service's.
func Forgeries(t testing.TB, good func(game.ID, game.Instant) Token, user game.ID, now game.Instant) map[string]string {
	t.Helper()
	rsaKey, rsaPublic := rsaKeys()
	forgeries := map[string]string{
		"rubbish": "rubbish", "three rubbish parts": "a.b.c", "no parts": "..", "something behind it": good(user, now).Sign(t) + "x",
	}
	for name, change := range map[string]func(*Token){
		"alg none":                    func(k *Token) { k.Method, k.Key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType },
		"alg HS384":                   func(k *Token) { k.Method = jwt.SigningMethodHS384 },
		"alg HS512":                   func(k *Token) { k.Method = jwt.SigningMethodHS512 },
		"alg RS256":                   func(k *Token) { k.Method, k.Key = jwt.SigningMethodRS256, rsaKey },
		"a public key as HMAC key":    func(k *Token) { k.Key = rsaPublic },
		"says RS256, signed as HS256": func(k *Token) { k.Header["alg"] = "RS256" },
		"says none, signed as HS256":  func(k *Token) { k.Header["alg"] = "none" },
		"an empty key":                func(k *Token) { k.Key = []byte{} },
		"the key of another id":       func(k *Token) { k.Header["kid"] = "k1" },
		"a retired key":               func(k *Token) { k.Header["kid"], k.Key = "k0", signingKeys["k0"] },
		"a retired key as a live one": func(k *Token) { k.Key = signingKeys["k0"] },
		"no key id":                   func(k *Token) { delete(k.Header, "kid") },
		"a generic type":              func(k *Token) { k.Header["typ"] = "JWT" },
		"no type":                     func(k *Token) { k.Header["typ"] = nil },
		"another issuer":              func(k *Token) { k.Claims["iss"] = "someone else" },
		"no issuer":                   func(k *Token) { delete(k.Claims, "iss") },
		"another audience":            func(k *Token) { k.Claims["aud"] = "another service" },
		"no audience":                 func(k *Token) { delete(k.Claims, "aud") },
		"no expiry":                   func(k *Token) { delete(k.Claims, "exp") },
		"no user":                     func(k *Token) { delete(k.Claims, "sub") },
		"a user that is no UUID":      func(k *Token) { k.Claims["sub"] = "ann" },
		"a user that is a key":        func(k *Token) { k.Claims["sub"] = string(user) + "#PROFILE" },
	} {
		forged := good(user, now)
		change(&forged)
		forgeries[name] = forged.Sign(t)
	}
	return forgeries
}

var rsaKeys = sync.OnceValues(func() (*rsa.PrivateKey, []byte) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		panic(err)
	}
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
})
