// Package token issues and verifies the service's access and refresh tokens: JSON Web Tokens signed with Ed25519. The
// two kinds differ in type and audience, so that a refresh token does not pass as an access token, nor an access token
// as a refresh token. Issuers have the private keys. Verifiers have only the public keys, which cannot make a token.
// There may be several keys. Each of them verifies, and one signs, so that a change of keys ends no session. To change
// keys, an operator adds a key that signs only after all functions have read it. The operator removes the old key a
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

// minKeyBytes is the least length of a signing key's text. RFC 7518, 3.2 requires 256 bits, as Ed25519 keys have.
const minKeyBytes = 32

// purpose is a label in the derivation of an Ed25519 key from its secret text. Another label would give other keys.
const purpose = "ranch: Ed25519 seed of tokens"

// HS256 says how to treat tokens that are signed with HMAC-SHA256, the algorithm before Ed25519. A program that can
// verify such a token can also make one. A deployment that has issued such tokens changes from Issued to Accepted, and
// after a refresh token's lifetime to Refused (ADR 12).
type HS256 string

// The possible treatments of tokens signed with HMAC-SHA256.
const (
	Refused  HS256 = "refused"  // only Ed25519 is signed and accepted
	Accepted HS256 = "accepted" // Ed25519 is signed, both are accepted
	Issued   HS256 = "issued"   // HMAC-SHA256 is signed, both are accepted
)

// Keys verifies tokens, and issues them unless it has only public keys. It is immutable and safe for concurrent use.
type Keys struct {
	current string
	keys    map[string]key          // by key id (kid)
	since   map[string]game.Instant // as in Secret
	hs256   HS256
}

// key is one signing key. Its Ed25519 key pair is derived from the text, which is secret.
type key struct {
	public  ed25519.PublicKey
	private ed25519.PrivateKey // nil: only the public key is known
	text    []byte             // the secret text; nil if only the public key is known
}

// NewKeys returns the keys that are derived from texts by key id. Each text must have at least 32 bytes. current is the
// id of the key that signs, which must be in texts. An error contains neither texts nor ids. Errors are logged, and an
// operator may have put a key where an id belongs.
func NewKeys(current string, texts map[string][]byte) (*Keys, error) {
	keys := make(map[string]key, len(texts))
	for kid, text := range texts {
		if kid == "" {
			return nil, errors.New("token: a signing key has the empty text as its id: restore the previous version of the secret with the signing keys (docs/runbook.md, KeysAlarm)")
		}
		if len(text) < minKeyBytes {
			return nil, errors.New("token: a signing key has fewer than 32 bytes: restore the previous version of the secret with the signing keys (docs/runbook.md, KeysAlarm)")
		}
		seed, err := hkdf.Key(sha256.New, text, nil, purpose, ed25519.SeedSize)
		if err != nil {
			return nil, errors.New("token: cannot derive an Ed25519 key from a signing key: restore the previous version of the secret with the signing keys (docs/runbook.md, KeysAlarm)")
		}
		private := ed25519.NewKeyFromSeed(seed)
		keys[kid] = key{public: private.Public().(ed25519.PublicKey), private: private, text: slices.Clone(text)}
	}
	if _, ok := keys[current]; !ok {
		return nil, errors.New("token: no signing key has the id in \"current\": restore the previous version of the secret with the signing keys (docs/runbook.md, KeysAlarm)")
	}
	return &Keys{current: current, keys: keys, hs256: Refused}, nil
}

// With returns a copy of the keys that treats tokens signed with HMAC-SHA256 as hs256 says. By default, keys refuse
// them.
func (k *Keys) With(hs256 HS256) *Keys {
	other := *k
	other.hs256 = hs256
	return &other
}

// Public returns the public keys by key id, in the form that NewPublicKeys reads.
func (k *Keys) Public() map[string]string {
	public := make(map[string]string, len(k.keys))
	for kid, key := range k.keys {
		public[kid] = base64.RawURLEncoding.EncodeToString(key.public)
	}
	return public
}

// NewPublicKeys returns keys that can verify tokens but not sign them. The map public has the public keys by key id: 32
// bytes each, in base64url as in RFC 8037, 2. Before an issuer has published keys, the map is empty.
func NewPublicKeys(public map[string]string) (*Keys, error) {
	keys := make(map[string]key, len(public))
	for kid, text := range public {
		bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil || len(bytes) != ed25519.PublicKeySize || kid == "" {
			return nil, errors.New("token: a published public key has no id, or is not 32 bytes in base64url: publish all keys again with `ranchctl keys publish`")
		}
		keys[kid] = key{public: bytes}
	}
	return &Keys{keys: keys, hs256: Refused}, nil
}
