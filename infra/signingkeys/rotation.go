// Package signingkeys is what operators do with the secret that has the signing keys: rules as functions of a version
// of it and a time, and the Secrets Manager that keeps it. ADR 12 says why no player is logged out.
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

// retirementMargin is added to a refresh token's life: for clocks that differ, and for functions that went on signing
// with an old key because they could not read the secret.
const retirementMargin = 24 * time.Hour

// Version is one version of the secret.
type Version struct {
	ARN, ID string // the secret's, and its own
	Written game.Instant
	token.Secret
}

// PublicKeys are what functions verify tokens with that the version's keys have signed.
func (v Version) PublicKeys() (store.PublicKeys, error) {
	keys, err := v.Signing()
	if err != nil {
		return store.PublicKeys{}, err
	}
	return store.PublicKeys{Secret: v.ARN, Written: v.Written, Keys: keys.Public()}, nil
}

// ours begins the ids of versions that this package has written.
const ours = "ranchctl-"

// The states of a key.
const (
	Current = "current" // it signs
	Next    = "next"    // it will sign from its Since on
	Old     = "old"     // it signs no more
)

// Key is what may be known of a key. All of them verify.
type Key struct {
	Kid         string        `json:"kid"`
	State       string        `json:"state"`
	Since       *game.Instant `json:"since"`       // from when on it is, or was, the current key; null: nobody knows
	RetirableAt *game.Instant `json:"retirableAt"` // from when on no token of it is live; null: it still signs, or will
}

// List returns what is known of the version's keys, the next and the current one first, and then by how long they have
// to go.
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
			at := v.ended(dates, kid).Add(game.RefreshTokenLifetime + retirementMargin)
			k.RetirableAt = &at
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

// dates returns from when on keys were the current one; the current key's is the last of them. A version from another
// tool says nothing certain about earlier versions. Its current key counts from the time when the version was written,
// which is the latest possible; the times of the others are unknown.
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

// ended returns when an old key ended to sign: when the next one after it became the current one.
func (v Version) ended(dates map[string]game.Instant, kid string) game.Instant {
	end := dates[v.Current]
	for _, since := range dates {
		if since > dates[kid] {
			end = min(end, since)
		}
	}
	return end
}

// Rotate returns the secret with a new key that signs after the lead, and its kid. A key that waits for its time never
// signs then; it stays for functions that do not know of the new one yet when its time comes. It returns an error for a
// key that is short or repetitive.
func (v Version) Rotate(key string, now game.Instant, lead time.Duration) (next token.Secret, kid string, err error) {
	if err := CheckKey(key); err != nil {
		return token.Secret{}, "", err
	}
	if slices.Contains(slices.Collect(maps.Values(v.Keys)), key) {
		return token.Secret{}, "", errors.New("the secret has this very key already")
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
		// It is to sign for the last instant before, so that what functions sign with it until they know counts as old.
		next.Since[kid]++
		next.Since[v.Current] = next.Since[kid] - 1
	}
	return next, kid, check(next)
}

// Retire returns the secret without an old key, or without one that waits for its time. It returns an error while a
// token of the key may be live, and where a function may sign with it before it has read the secret again.
func (v Version) Retire(kid string, now game.Instant) (token.Secret, error) {
	k, err := v.key(kid, now)
	switch {
	case err != nil:
		return token.Secret{}, err
	case k.State == Current:
		return token.Secret{}, fmt.Errorf("the key %s is the current one", kid)
	case k.State == Next && now.Add(token.MaxAge) >= v.Since[kid]:
		return token.Secret{}, fmt.Errorf("functions may sign with the key %s before they know that it is gone: rotate once more instead", kid)
	case k.State == Old && now < *k.RetirableAt:
		return token.Secret{}, fmt.Errorf("tokens of the key %s may be live: it can be retired from %v on", kid, k.RetirableAt)
	}
	return v.without(kid, now)
}

// Signed says when a key has signed the refresh tokens that may be live now.
type Signed struct{ From, Until game.Instant }

// RetireLeaked returns the secret without a leaked key, whatever live tokens it has signed, and the period of those;
// nil if it has signed none. It returns an error for the current key, since another one has to sign first.
func (v Version) RetireLeaked(kid string, now game.Instant) (token.Secret, *Signed, error) {
	k, err := v.key(kid, now)
	switch {
	case err != nil:
		return token.Secret{}, nil, err
	case k.State == Current:
		return token.Secret{}, nil, fmt.Errorf("the key %s is the current one: rotate first, with a key that signs at once", kid)
	}
	left, err := v.without(kid, now)
	if err != nil || k.State == Next || now >= *k.RetirableAt {
		return left, nil, err
	}
	signed := &Signed{From: now.Add(-game.RefreshTokenLifetime), Until: k.RetirableAt.Add(-game.RefreshTokenLifetime - retirementMargin)}
	if k.Since != nil {
		signed.From = max(signed.From, *k.Since)
	}
	// A function that has not read the secret since then goes on for a while.
	signed.Until = min(now, signed.Until.Add(token.MaxAge))
	return left, signed, nil
}

// key returns what is known of a key.
func (v Version) key(kid string, now game.Instant) (Key, error) {
	for _, k := range v.List(now) {
		if k.Kid == kid {
			return k, nil
		}
	}
	return Key{}, errors.New("the secret has no such key")
}

func (v Version) without(kid string, now game.Instant) (token.Secret, error) {
	left := token.Secret{Current: v.Current, Keys: maps.Clone(v.Keys), Since: v.dates(now)}
	if kid == v.Current { // it waits, and so may others that it has followed: none of them will sign
		left.Current = v.Signer(now)
		maps.DeleteFunc(left.Since, func(_ string, since game.Instant) bool { return since > now })
	}
	delete(left.Keys, kid)
	delete(left.Since, kid)
	return left, check(left)
}

// Becoming is the version that Replace makes of the secret now.
func Becoming(s token.Secret, now game.Instant) Version {
	return Version{ID: ours, Written: now, Secret: s}
}

// check reads the secret as the functions will.
func check(s token.Secret) error {
	_, err := token.ParseSecret(s.Text())
	return err
}
