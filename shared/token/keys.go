// Package token issues and verifies the service's access and refresh tokens: JSON Web Tokens signed with Ed25519. The
// two kinds differ in type and audience, and neither is accepted as the other. Issuers have the private keys. Verifiers
// have the public keys, which cannot make a token. Any of several keys verifies and the current one signs, so a change
// of keys ends no session. Add a key that becomes current after all functions have read it, and remove the old one a
// refresh token's lifetime later (ADR 12).
package token

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// minKeyBytes is the least size of a key's text: RFC 7518, 3.2 requires 256 bits for HS256, and Ed25519 has as many.
const minKeyBytes = 32

// purpose separates our derivation from any other derivation from the same text.
const purpose = "ranch: Ed25519 seed of tokens"

// HS256 says how to treat tokens that are signed with HMAC-SHA256, as all were before Ed25519. A verifier of such a
// token can also make one. A deployment that has issued them goes from Issued over Accepted to Refused (ADR 12).
type HS256 string

// The possible treatments of tokens signed with HMAC-SHA256.
const (
	Refused  HS256 = "refused"  // only Ed25519 is signed and accepted
	Accepted HS256 = "accepted" // Ed25519 is signed, both are accepted
	Issued   HS256 = "issued"   // HMAC-SHA256 is signed, both are accepted
)

// Keys verifies tokens, and signs them unless all of its keys are public. It is immutable and safe for concurrent use.
type Keys struct {
	current string
	keys    map[string]key          // by kid
	since   map[string]game.Instant // as in Secret
	hs256   HS256
}

// key is one key. The others are derived from its text, which is secret.
type key struct {
	public  ed25519.PublicKey
	private ed25519.PrivateKey // nil: only the public key is known
	text    []byte             // nil likewise
}

// NewKeys returns the keys by their ids. The key named current signs. Each has a text of at least 32 bytes, and current
// is among them. Errors never contain keys or ids: if an operator mixed these up, a key would get into the log.
func NewKeys(current string, texts map[string][]byte) (*Keys, error) {
	keys := make(map[string]key, len(texts))
	for kid, text := range texts {
		if kid == "" {
			return nil, errors.New("token: a signing key has no id")
		}
		if len(text) < minKeyBytes {
			return nil, errors.New("token: a signing key has fewer than 32 bytes")
		}
		seed, err := hkdf.Key(sha256.New, text, nil, purpose, ed25519.SeedSize)
		if err != nil {
			return nil, errors.New("token: a signing key cannot be derived")
		}
		private := ed25519.NewKeyFromSeed(seed)
		keys[kid] = key{public: private.Public().(ed25519.PublicKey), private: private, text: slices.Clone(text)}
	}
	if _, ok := keys[current]; !ok {
		return nil, errors.New("token: the current signing key is not among the keys")
	}
	return &Keys{current: current, keys: keys, hs256: Refused}, nil
}

// With returns the same keys for a deployment that has issued tokens signed with HMAC-SHA256.
func (k *Keys) With(hs256 HS256) *Keys {
	other := *k
	other.hs256 = hs256
	return &other
}

// Public returns the public keys by kid, in the form for NewPublicKeys.
func (k *Keys) Public() map[string]string {
	public := make(map[string]string, len(k.keys))
	for kid, key := range k.keys {
		public[kid] = base64.RawURLEncoding.EncodeToString(key.public)
	}
	return public
}

// NewPublicKeys returns keys that verify and cannot sign, from public keys by kid: 32 bytes each, in base64url as in
// RFC 8037, 2. There may be none yet.
func NewPublicKeys(public map[string]string) (*Keys, error) {
	keys := make(map[string]key, len(public))
	for kid, text := range public {
		bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil || len(bytes) != ed25519.PublicKeySize || kid == "" {
			return nil, errors.New("token: a public key has the wrong form")
		}
		keys[kid] = key{public: bytes}
	}
	return &Keys{keys: keys, hs256: Refused}, nil
}
