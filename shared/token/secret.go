package token

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// These members of the secret's JSON object are not keys.
const (
	currentMember = "current"
	sinceMember   = "since"
)

// Secret is the content of the secret that holds the signing keys.
type Secret struct {
	Current string                  // the id (kid) of the key that signs once its Since has come
	Keys    map[string]string       // by key id: the secret texts from which the keys are derived
	Since   map[string]game.Instant // by key id: when the key became, or becomes, the current key, if known
}

// ReadSecret reads a secret's text: a JSON object with the keys by key id (kid). The member "current" is the id of the
// current key. The member "since" has, by key id, the known times when keys became or become current:
//
//	{"current": "b", "since": {"b": "2026-11-20T09:40:00.000Z"}, "a": "<key>", "b": "<key>"}
//
// ReadSecret does not check the keys, which Signing does. An error contains neither keys nor ids. Errors are logged,
// and an operator may have put a key where an id belongs.
func ReadSecret(text string) (Secret, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil { // json's error may quote the text
		return Secret{}, errors.New("token: the secret with the signing keys is not a JSON object: restore its previous version (docs/runbook.md, KeysAlarm)")
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
			return Secret{}, errors.New("token: the secret with the signing keys has a key or \"current\" that is not a text, or a \"since\" that is not an object of times: restore its previous version (docs/runbook.md, KeysAlarm)")
		}
	}
	return s, nil
}

// Text returns the secret's text, in the form that ReadSecret reads.
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

// Signing returns the keys of the secret, for signing and verifying. It returns an error in the cases in which NewKeys
// does, and if a key has the id "current" or "since".
func (s Secret) Signing() (*Keys, error) {
	bytes := make(map[string][]byte, len(s.Keys))
	for kid, key := range s.Keys {
		if kid == currentMember || kid == sinceMember {
			return nil, errors.New("token: a signing key has the id \"current\" or \"since\", which the secret uses for other values: give the key another id")
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

// Signer returns the id of the key that signs at now. If the instant of the current key in Since has come, or no key's
// instant has, the current key signs. Otherwise the key with the latest instant that has come signs. A key without an
// instant counts as the oldest. Of several keys with the same instant, the last id counts.
func (s Secret) Signer(now game.Instant) string { return signer(s.Current, s.Keys, s.Since, now) }

func signer[K any](current string, keys map[string]K, since map[string]game.Instant, now game.Instant) string {
	if since[current] <= now {
		return current
	}
	come := slices.DeleteFunc(slices.Collect(maps.Keys(keys)), func(kid string) bool { return since[kid] > now })
	if len(come) == 0 {
		return current // no key's instant has come, and one key must sign
	}
	return slices.MaxFunc(come, func(a, b string) int { return cmp.Or(cmp.Compare(since[a], since[b]), cmp.Compare(a, b)) })
}

// ParseSecret returns the keys of a secret's text, for signing and verifying. Its errors are ReadSecret's and
// Signing's.
func ParseSecret(text string) (*Keys, error) {
	s, err := ReadSecret(text)
	if err != nil {
		return nil, err
	}
	return s.Signing()
}
