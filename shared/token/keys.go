// Package token issues and verifies the service's access and refresh tokens: JSON Web Tokens signed with HMAC-SHA256.
// The two kinds differ in type and audience, and neither passes for the other. Any of several keys verifies, the
// current one signs, so that keys can be changed without logging anybody out: add a key that will be the current one
// when everybody has read it, and remove the old one a refresh token's lifetime later (ADR 12).
package token

import (
	"errors"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// minKeyBytes is the least that RFC 7518, 3.2 allows for HS256.
const minKeyBytes = 32

// Keys signs and verifies tokens. It never changes, and may be used by several goroutines.
type Keys struct {
	current string
	keys    map[string][]byte       // by kid
	since   map[string]game.Instant // as Secret has it
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
