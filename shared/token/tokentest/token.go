// Package tokentest makes valid tokens, and forgeries that verifiers must refuse. It uses neither the service's code
// nor a JWT library, so that it does not repeat their bugs.
package tokentest

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// Key is a signing key with its id in tokens.
type Key struct {
	ID     string
	Secret []byte // the text of the key; nil if the test does not know it
}

// private derives the private key from the secret, as ADR 12 describes.
func (k Key) private() ed25519.PrivateKey {
	seed, err := hkdf.Key(sha256.New, k.Secret, nil, "ranch: Ed25519 seed of tokens", ed25519.SeedSize)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return ed25519.NewKeyFromSeed(seed)
}

// Sign signs as the service does.
func (k Key) Sign(signed string) []byte { return ed25519.Sign(k.private(), []byte(signed)) }

// Signer returns the signature of a token's first two parts.
type Signer func(signed string) []byte

// Token is a token that a test can change before String signs it. Sign may use another algorithm than the header has.
type Token struct {
	Header, Claims map[string]any
	Sign           Signer // nil leaves the signature empty
}

// kind distinguishes access and refresh tokens.
type kind struct{ typ, audience string }

var (
	access  = kind{"at+jwt", "ranch-api"}
	refresh = kind{"rt+jwt", "ranch-refresh"}
)

// Access returns a valid access token for the user. The test may change it before String signs it.
func Access(signing Key, user game.ID, now game.Instant) Token {
	return made(access, signing, user, now, token.AccessLifetime)
}

// Refresh returns a valid refresh token for the user. A test may change it before String signs it. The table has no
// record of it.
func Refresh(signing Key, user game.ID, now game.Instant) Token {
	return made(refresh, signing, user, now, game.RefreshTokenLifetime)
}

func made(of kind, signing Key, user game.ID, now game.Instant, lifetime time.Duration) Token {
	issued := now.Time().Unix()
	return Token{
		Header: map[string]any{"alg": "EdDSA", "typ": of.typ, "kid": signing.ID},
		Claims: map[string]any{
			"sub": string(user), "iss": "ranch", "aud": of.audience, "jti": rand.Text(), "iat": issued, "exp": issued + int64(lifetime/time.Second),
		},
		Sign: signing.Sign,
	}
}

// Parse reads a token without checking it. If the text has not the form of a token, Parse fails the test. Numbers in
// the result are of type json.Number. The result has no signer.
func Parse(t testing.TB, text string) Token {
	t.Helper()
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %q", text)
	}
	var parsed Token
	for i, into := range []*map[string]any{&parsed.Header, &parsed.Claims} {
		decoded, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		d := json.NewDecoder(bytes.NewReader(decoded))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			t.Fatalf("%v in %s", err, decoded)
		}
	}
	return parsed
}

// String returns the token's text, signed.
func (k Token) String() string { return assemble(encode(k.Header), encode(k.Claims), k.Sign) }

func encode(part map[string]any) []byte {
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return text
}

// assemble returns a token with the header and the claims, which may be invalid JSON. A nil sign leaves no signature.
func assemble(header, claims []byte, sign Signer) string {
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	var signature []byte
	if sign != nil {
		signature = sign(signed)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// HS256 signs as the service did before Ed25519.
func HS256(secret []byte) Signer { return hmacSigner(sha256.New, secret) }

func hmacSigner(algorithm func() hash.Hash, secret []byte) Signer {
	return func(signed string) []byte {
		mac := hmac.New(algorithm, secret)
		mac.Write([]byte(signed))
		return mac.Sum(nil)
	}
}

func rs256Signer(key *rsa.PrivateKey) Signer {
	return func(signed string) []byte {
		digest := sha256.Sum256([]byte(signed))
		signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
		if err != nil {
			panic(err)
		}
		return signature
	}
}
