// Package token issues and verifies the service's access and refresh tokens: JSON Web Tokens signed with HMAC-SHA256.
// The two kinds differ in type and audience, and neither passes for the other. Any of several keys verifies, the
// current one signs, so that keys can be changed without logging anybody out: add a key, make it current, and remove
// the old one a refresh token's lifetime later.
package token

import (
	"encoding/json"
	"errors"
	"slices"
)

// minKeyBytes is the least that RFC 7518, 3.2 allows for HS256.
const minKeyBytes = 32

// Keys signs and verifies tokens. It never changes, and may be used by several goroutines.
type Keys struct {
	current string
	keys    map[string][]byte // by kid
}

// NewKeys returns the keys, by their ids, of which current signs. Each has at least 32 bytes, and current is among
// them. Errors never say what the keys or ids are, since whoever mixes these up would find a key in the log.
func NewKeys(current string, keys map[string][]byte) (*Keys, error) {
	copied := make(map[string][]byte, len(keys))
	for kid, key := range keys {
		if kid == "" {
			return nil, errors.New("token: a signing key has no id")
		}
		if len(key) < minKeyBytes {
			return nil, errors.New("token: a signing key has fewer than 32 bytes")
		}
		copied[kid] = slices.Clone(key)
	}
	if _, ok := copied[current]; !ok {
		return nil, errors.New("token: the current signing key is not among the keys")
	}
	return &Keys{current: current, keys: copied}, nil
}

// currentName is the secret's member that names the current key, and therefore no key id.
const currentName = "current"

// ParseSecret reads the keys from a secret's text, a JSON object of strings: {"current": "<kid>", "<kid>": "<key>",
// ...}. A key's bytes are those of its string. Errors are as NewKeys has them.
func ParseSecret(secret string) (*Keys, error) {
	var members map[string]string
	if err := json.Unmarshal([]byte(secret), &members); err != nil {
		// Without err, which may quote it.
		return nil, errors.New("token: the secret with the signing keys is no JSON object of strings")
	}
	current := members[currentName]
	delete(members, currentName)
	keys := make(map[string][]byte, len(members))
	for kid, key := range members {
		keys[kid] = []byte(key)
	}
	return NewKeys(current, keys)
}
