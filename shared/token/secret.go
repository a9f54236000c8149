package token

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/ranch-game/ranch/shared/game"
)

// Members of the secret that are not keys.
const (
	currentMember = "current"
	sinceMember   = "since"
)

// Secret is the content of the secret with the signing keys.
type Secret struct {
	Current string                  // the kid of the key that signs, from its Since on
	Keys    map[string]string       // by kid: texts from which the keys are derived
	Since   map[string]game.Instant // the known instants from which on a key is, or was, the current one
}

// ReadSecret reads a secret's text: a JSON object of keys by kid, with the current key's kid as "current", and with the
// known instants by kid as "since":
//
//	{"current": "b", "since": {"b": "2026-11-20T09:40:00.000Z"}, "a": "<key>", "b": "<key>"}
//
// Errors never contain keys or kids: if an operator mixed these up, a key would get into the log. Signing checks the
// keys.
func ReadSecret(text string) (Secret, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil { // its error may quote it
		return Secret{}, errors.New("token: the secret with the signing keys is no JSON object")
	}
	s := Secret{Keys: map[string]string{}}
	for name, member := range members {
		var err error
		switch name {
		case currentMember:
			err = json.Unmarshal(member, &s.Current)
		case sinceMember:
			err = json.Unmarshal(member, &s.Since)
		default:
			var key string
			err = json.Unmarshal(member, &key)
			s.Keys[name] = key
		}
		if err != nil {
			return Secret{}, errors.New("token: the secret with the signing keys has a member of the wrong form")
		}
	}
	return s, nil
}

// Text returns the secret's text, in the form for ReadSecret.
func (s Secret) Text() string {
	members := map[string]any{currentMember: s.Current}
	for kid, key := range s.Keys {
		members[kid] = key
	}
	if len(s.Since) > 0 {
		members[sinceMember] = s.Since
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts and instants can always be marshalled
	}
	return string(text)
}

// Signing returns the keys to sign and verify with. Errors are as in NewKeys.
func (s Secret) Signing() (*Keys, error) {
	bytes := make(map[string][]byte, len(s.Keys))
	for kid, key := range s.Keys {
		if kid == currentMember || kid == sinceMember {
			return nil, errors.New("token: a signing key has the name of something else as its id")
		}
		bytes[kid] = []byte(key)
	}
	keys, err := NewKeys(s.Current, bytes)
	if err != nil {
		return nil, err
	}
	keys.since = maps.Clone(s.Since)
	return keys, nil
}

// Signer returns the kid of the key that signs at the instant: the current one after its time has come. Before that, it
// is the last of the others whose time has come. A key without a date came before all others.
func (s Secret) Signer(now game.Instant) string { return signer(s.Current, s.Keys, s.Since, now) }

func signer[K any](current string, keys map[string]K, since map[string]game.Instant, now game.Instant) string {
	if since[current] <= now {
		return current
	}
	last := ""
	for kid := range keys {
		if since[kid] > now {
			continue
		}
		if last == "" || since[kid] > since[last] || since[kid] == since[last] && kid > last {
			last = kid
		}
	}
	if last == "" {
		return current // no key's time has come, and one must sign
	}
	return last
}

// ParseSecret returns the keys in a secret's text.
func ParseSecret(text string) (*Keys, error) {
	s, err := ReadSecret(text)
	if err != nil {
		return nil, err
	}
	return s.Signing()
}
