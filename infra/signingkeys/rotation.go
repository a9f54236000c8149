// Package signingkeys changes the secret that holds the signing keys, for operators. Its rules are functions of a
// version of the secret and a time. The type Secret reads and writes versions in Secrets Manager. ADR 12 explains why a
// change of keys logs no player out.
package signingkeys

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// retirementMargin is the time for which an old key stays after its last refresh token should have expired. Clocks may
// differ. And a function that could not read the secret has signed with the old key for longer.
const retirementMargin = 24 * time.Hour

// Version is one version of the secret.
type Version struct {
	ARN, ID string // the ARN of the secret, and the id of this version
	Written game.Instant
	token.Secret
}

// PublicKeys returns the public keys of the version, with which functions verify tokens that its keys have signed.
func (v Version) PublicKeys() (store.PublicKeys, error) {
	keys, err := v.Signing()
	if err != nil {
		return store.PublicKeys{}, err
	}
	return store.PublicKeys{Secret: v.ARN, Written: v.Written, Keys: keys.Public()}, nil
}

// Shares reports whether one of the published public keys, by their id, is of the version.
func (v Version) Shares(published map[string]string) (bool, error) {
	own, err := v.PublicKeys()
	for kid, key := range own.Keys {
		if published[kid] == key {
			return true, nil
		}
	}
	return false, err
}

// ours is the prefix of the ids of versions that this package has written.
const ours = "ranchctl-"

// The states of a key.
const (
	Current = "current" // it signs
	Next    = "next"    // it will sign from its Since on
	Old     = "old"     // it no longer signs
)

// Key describes a signing key without its text. Functions accept tokens of every key in the secret, in any state.
type Key struct {
	Kid         string        `json:"kid"`
	State       string        `json:"state"`
	Since       *game.Instant `json:"since"`       // when it became, or will become, the current key; null if unknown
	RetirableAt *game.Instant `json:"retirableAt"` // when its last token has expired; null if it signs or will sign
}

// List describes the version's keys: the next one, the current one, and the old ones, the latest RetirableAt first.
func (v Version) List(now game.Instant) []Key {
	signer, dates := v.Signer(now), v.dates(now)
	keys := make([]Key, 0, len(v.Keys))
	for kid := range v.Keys {
		k := Key{Kid: kid, State: Old}
		if since, known := dates[kid]; known {
			k.Since = &since
		}
		switch kid {
		case signer:
			k.State = Current
		case v.Current:
			k.State = Next
		default:
			k.RetirableAt = new(v.ended(dates, kid).Add(game.RefreshTokenLifetime + retirementMargin))
		}
		keys = append(keys, k)
	}
	order := []string{Next, Current, Old}
	slices.SortFunc(keys, func(a, b Key) int {
		byTime := 0
		if a.RetirableAt != nil && b.RetirableAt != nil {
			byTime = cmp.Compare(*b.RetirableAt, *a.RetirableAt)
		}
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)), byTime, strings.Compare(a.Kid, b.Kid))
	})
	return keys
}

// dates returns, by key id, when each key became or will become the current one, as far as this is known. The instant
// of the current key is the latest. If another tool has written the version, only the current key's instant is known:
// the later of its date in the version and the time when the version was written.
func (v Version) dates(now game.Instant) map[string]game.Instant {
	since, known := v.Since[v.Current]
	last := known
	for kid, other := range v.Since {
		last = last && (kid == v.Current || other < since)
	}
	if last && strings.HasPrefix(v.ID, ours) {
		return maps.Clone(v.Since)
	}
	return map[string]game.Instant{v.Current: max(since, min(v.Written, now))}
}

// ended returns when an old key stopped signing, because another became the current one. dates is from the method
// dates.
func (v Version) ended(dates map[string]game.Instant, kid string) game.Instant {
	end := dates[v.Current]
	for _, since := range dates {
		if since > dates[kid] {
			end = min(end, since)
		}
	}
	return end
}

// Rotate returns a secret with one more key, which signs from now plus lead on, and the id of that key. If another new
// key still waits to sign, it stays in the secret, and will sign only for functions that do not know the newer key.
// Rotate returns an error if the key is short, repetitive or already in the secret.
func (v Version) Rotate(key string, now game.Instant, lead time.Duration) (next token.Secret, kid string, err error) {
	if err := CheckKey(key); err != nil {
		return token.Secret{}, "", err
	}
	if slices.Contains(slices.Collect(maps.Values(v.Keys)), key) {
		return token.Secret{}, "", errors.New("the secret already has this key: rotate with a new one")
	}
	kid = now.Time().Format("20060102T150405Z")
	for _, taken := v.Keys[kid]; taken; _, taken = v.Keys[kid] {
		kid += "x"
	}
	next = token.Secret{Current: kid, Keys: maps.Clone(v.Keys), Since: v.dates(now)}
	next.Keys[kid] = key
	signer := v.Signer(now)
	next.Since[kid] = max(now.Add(lead), next.Since[signer]+1)
	if signer != v.Current {
		// The waiting key becomes current a millisecond before the new one. So it counts as an old key, with the tokens
		// that functions sign before they know of the new key.
		next.Since[kid]++
		next.Since[v.Current] = next.Since[kid] - 1
	}
	return next, kid, check(next)
}

// Retire returns the secret without the key kid. It returns an error if the key is current, or if tokens signed with it
// may still be valid. It also returns one if the key will sign within five minutes: functions read the secret only
// every five minutes, so one may still sign with it.
func (v Version) Retire(kid string, now game.Instant) (token.Secret, error) {
	k, err := v.key(kid, now)
	switch {
	case err != nil:
		return token.Secret{}, err
	case k.State == Current:
		return token.Secret{}, fmt.Errorf("the key %s cannot be retired, because functions sign with it: rotate first (ranchctl keys rotate), and retire it when its tokens have expired", kid)
	case k.State == Next && now.Add(token.MaxAge) >= v.Since[kid]:
		return token.Secret{}, fmt.Errorf("the key %s cannot be retired, because it signs soon, and functions may not read the secret before: rotate once more instead (ranchctl keys rotate)", kid)
	case k.State == Old && now < *k.RetirableAt:
		return token.Secret{}, fmt.Errorf("the key %s cannot be retired yet, because tokens that it has signed may be valid: retire it after %v, or with --leaked if the key has leaked", kid, k.RetirableAt)
	}
	return v.without(kid, now)
}

// Signed is the period in which a key has signed the refresh tokens that may still be valid.
type Signed struct{ From, Until game.Instant }

// RetireLeaked returns the secret without a leaked key, even if tokens of the key are valid. Signed is the period in
// which the key has signed such tokens, or nil if there are none. If the key is current, RetireLeaked returns an error,
// because another key must sign first.
func (v Version) RetireLeaked(kid string, now game.Instant) (token.Secret, *Signed, error) {
	k, err := v.key(kid, now)
	switch {
	case err != nil:
		return token.Secret{}, nil, err
	case k.State == Current:
		return token.Secret{}, nil, fmt.Errorf("the key %s cannot be retired, because functions sign with it: first add a key that signs at once (ranchctl keys rotate --signs-in 0s), then retire this one", kid)
	}
	left, err := v.without(kid, now)
	if err != nil || k.State == Next || now >= *k.RetirableAt {
		return left, nil, err
	}
	signed := &Signed{From: now.Add(-game.RefreshTokenLifetime), Until: k.RetirableAt.Add(-game.RefreshTokenLifetime - retirementMargin)}
	if k.Since != nil {
		signed.From = max(signed.From, *k.Since)
	}
	// A function signs with the old key until it reads the secret again, at most token.MaxAge later.
	signed.Until = min(now, signed.Until.Add(token.MaxAge))
	return left, signed, nil
}

// key returns the description of the key with the id. If the secret has no such key, it returns an error.
func (v Version) key(kid string, now game.Instant) (Key, error) {
	for _, k := range v.List(now) {
		if k.Kid == kid {
			return k, nil
		}
	}
	return Key{}, fmt.Errorf("the secret has no key with the id %q: list the ids with `ranchctl keys list`", kid)
}

func (v Version) without(kid string, now game.Instant) (token.Secret, error) {
	left := token.Secret{Current: v.Current, Keys: maps.Clone(v.Keys), Since: v.dates(now)}
	if kid == v.Current { // it waits to sign; without it, no waiting key will sign
		left.Current = v.Signer(now)
		maps.DeleteFunc(left.Since, func(_ string, since game.Instant) bool { return since > now })
	}
	delete(left.Keys, kid)
	delete(left.Since, kid)
	return left, check(left)
}

// Becoming returns the version that Replace would make of the secret s at now, for a preview.
func Becoming(s token.Secret, now game.Instant) Version {
	return Version{ID: ours, Written: now, Secret: s}
}

// check returns an error if functions could not read the secret s.
func check(s token.Secret) error {
	_, err := token.ParseSecret(s.Text())
	return err
}
