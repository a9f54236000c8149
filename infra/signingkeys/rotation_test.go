package signingkeys

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

const (
	now = game.Instant(1_795_167_000_000)
	day = 24 * time.Hour
)

// made is the first version, as the stack's creation makes it.
func made(at game.Instant) Version {
	return Version{ID: "3f0e5c7b-0000-4000-8000-000000000000", Written: at, Secret: token.Secret{Current: "k1", Keys: map[string]string{"k1": NewKey()}}}
}

// written is the version that Replace makes.
func written(s token.Secret, at game.Instant) Version {
	return Version{ID: ours + string(game.NewID()), Written: at, Secret: s}
}

func rotated(t rapid.TB, v Version, at game.Instant) Version {
	s, _, err := v.Rotate(NewKey(), at, token.Lead)
	require.NoError(t, err)
	return written(s, at)
}

// brief returns a line for each key that List describes.
func brief(v Version, at game.Instant) (lines []string) {
	for _, k := range v.List(at) {
		line := k.Kid + " " + k.State
		if k.Since != nil {
			line += fmt.Sprint(" since ", k.Since)
		}
		if k.RetirableAt != nil {
			line += fmt.Sprint(", retirable ", k.RetirableAt)
		}
		lines = append(lines, line)
	}
	return lines
}

func expect[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	assert.Empty(t, cmp.Diff(want, got), "%s (-want +got)", what)
}

// A rotation and a retirement, from the stack's creation on.
func TestLifeOfAKey(t *testing.T) {
	v := made(now.Add(-100 * day))
	expect(t, "at first", brief(v, now), []string{"k1 current since 2026-08-12T09:30:00.000Z"})
	v = rotated(t, v, now)
	const kid = "20261120T093000Z"
	expect(t, "before its time", brief(v, now.Add(token.Lead)-1), []string{
		kid + " next since 2026-11-20T09:40:00.000Z", "k1 current since 2026-08-12T09:30:00.000Z",
	})
	turn := now.Add(token.Lead)
	expect(t, "from its time on", brief(v, turn), []string{
		kid + " current since 2026-11-20T09:40:00.000Z", "k1 old since 2026-08-12T09:30:00.000Z, retirable 2026-12-21T09:40:00.000Z",
	})
	s, err := v.Retire("k1", turn.Add(31*day)-1)
	assert.True(t, err != nil && strings.Contains(err.Error(), "retire it after 2026-12-21T09:40:00.000Z"), "%d keys, %v", len(s.Keys), err)
	left, err := v.Retire("k1", turn.Add(31*day))
	require.NoError(t, err)
	expect(t, "after it", left, token.Secret{Current: kid, Keys: map[string]string{kid: v.Keys[kid]}, Since: map[string]game.Instant{kid: turn}})
	assert.True(t, len(v.Keys) == 2 && len(v.Since) == 2, "the version has been changed")
}

func TestRefusals(t *testing.T) {
	first := made(now)
	waiting := rotated(t, first, now)
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"the same key once more":             {func() error { _, _, err := first.Rotate(first.Keys["k1"], now, token.Lead); return err }, "already has this key"},
		"a short key":                        {func() error { _, _, err := first.Rotate(NewKey()[:31], now, token.Lead); return err }, "fewer than 32 bytes"},
		"retiring the current key":           {func() error { _, err := first.Retire("k1", now.Add(1000*day)); return err }, "k1 cannot be retired, because functions sign with it"},
		"retiring the next key too late":     {func() error { _, err := waiting.Retire(waiting.Current, now.Add(token.Lead-token.MaxAge)); return err }, "rotate once more instead"},
		"a leaked key that signs":            {func() error { _, _, err := first.RetireLeaked("k1", now); return err }, "functions sign with it: first add a key"},
		"a leaked key before the next signs": {func() error { _, _, err := waiting.RetireLeaked("k1", now); return err }, "functions sign with it: first add a key"},
		"a leaked key that is not there":     {func() error { _, _, err := first.RetireLeaked("k0", now); return err }, "no key with the id"},
		"retiring the last but one":          {func() error { _, err := waiting.Retire("k1", now); return err }, "k1 cannot be retired, because functions sign with it"},
		"retiring nothing":                   {func() error { _, err := first.Retire("k0", now); return err }, "no key with the id"},
	} {
		err := c.do()
		assert.True(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %q", name, err, c.want)
	}
}

// A waiting key can be removed while every function will know of that in time. The key before it stays current.
func TestWithdrawal(t *testing.T) {
	first := made(now.Add(-day))
	v := rotated(t, first, now)
	left, err := v.Retire(v.Current, now.Add(token.Lead-token.MaxAge)-1)
	require.NoError(t, err)
	after := now.Add(token.Lead)
	expect(t, "afterwards", brief(written(left, after), after), []string{"k1 current since 2026-11-19T09:30:00.000Z"})
}

// If another key follows a waiting key, the waiting key never signs for functions that know both. It stays in the
// secret for functions that knew only of it when its time came.
func TestRotationOfAWaitingKey(t *testing.T) {
	first := made(now.Add(-day))
	for _, lead := range []time.Duration{0, token.Lead} {
		waiting := rotated(t, first, now)
		at := now.Add(token.Lead) - 1
		s, kid, err := waiting.Rotate(NewKey(), at, lead)
		require.NoError(t, err)
		v := written(s, at)
		from := at.Add(lead) + 1
		for _, c := range []struct {
			at   game.Instant
			want string
		}{{from - 2, "k1"}, {from, kid}, {from.Add(day), kid}} {
			got := v.Signer(c.at)
			assert.Equal(t, c.want, got, "with the lead %v %s signs at %v, want %s", lead, got, c.at, c.want)
		}
		k, err := v.key(waiting.Current, from)
		assert.True(t, err == nil && k.State == Old && *k.RetirableAt == from.Add(31*day), "the key that waited is %+v, %v", k, err)
	}
}

// A leaked key is removed at once. That ends the sessions of a known period.
func TestRetireLeaked(t *testing.T) {
	first := made(now.Add(-10 * day))
	s, kid, err := first.Rotate(NewKey(), now, 0)
	require.NoError(t, err)
	v := written(s, now)
	for name, c := range map[string]struct {
		at   game.Instant
		want *Signed
	}{
		"at once":    {now, &Signed{now.Add(-10 * day), now}},
		"some later": {now.Add(10 * time.Minute), &Signed{now.Add(-10 * day), now.Add(token.MaxAge)}},
		"weeks later, when its first tokens are no longer live": {now.Add(25 * day), &Signed{now.Add(-5 * day), now.Add(token.MaxAge)}},
		"when none is live": {now.Add(31 * day), nil},
	} {
		left, signed, err := v.RetireLeaked("k1", c.at)
		require.NoError(t, err)
		expect(t, name, signed, c.want)
		expect(t, name, left, token.Secret{Current: kid, Keys: map[string]string{kid: v.Keys[kid]}, Since: map[string]game.Instant{kid: now}})
	}
	waiting := rotated(t, first, now)
	left, signed, err := waiting.RetireLeaked(waiting.Current, now.Add(token.Lead)-1)
	assert.True(t, err == nil && signed == nil && left.Current == "k1" && len(left.Keys) == 1,
		"a key that has signed nothing: %d keys, %s signs, %v, %v", len(left.Keys), left.Current, signed, err)
}

// If the lead is 0, a key signs at once. Rotations in the same second have different key ids.
func TestRotationsAtOnce(t *testing.T) {
	v := made(now)
	for i, want := range []string{"20261120T093000Z", "20261120T093000Zx", "20261120T093000Zxx"} {
		at := now + game.Instant(i)
		s, kid, err := v.Rotate(NewKey(), at, 0)
		if err != nil || kid != want || s.Signer(at+1) != kid {
			t.Fatalf("%s, of which %s signs: %v", kid, s.Signer(at+1), err)
		}
		v = written(s, at)
	}
}

// If another tool has written a version, it counts as the beginning of the current key, despite older dates in it.
func TestVersionsByOtherHands(t *testing.T) {
	keys := map[string]string{"a": NewKey(), "b": NewKey(), "c": NewKey()}
	for name, since := range map[string]map[string]game.Instant{
		"no dates": nil, "dates of long ago": {"b": now.Add(-90 * day), "c": now.Add(-80 * day)}, "the current one is not the last": {"b": now.Add(-70 * day)},
	} {
		v := Version{ID: string(game.NewID()), Written: now.Add(-day), Secret: token.Secret{Current: "c", Keys: keys, Since: since}}
		expect(t, name, brief(v, now), []string{
			"c current since 2026-11-19T09:30:00.000Z", "a old, retirable 2026-12-20T09:30:00.000Z", "b old, retirable 2026-12-20T09:30:00.000Z",
		})
		v = rotated(t, v, now)
		expect(t, name+", a rotation later", brief(v, now.Add(token.Lead))[1:], []string{
			"c old since 2026-11-19T09:30:00.000Z, retirable 2026-12-21T09:40:00.000Z",
			"a old, retirable 2026-12-20T09:30:00.000Z", "b old, retirable 2026-12-20T09:30:00.000Z",
		})
	}
	ahead := made(now.Add(time.Hour)) // the clock that says now is slow
	expect(t, "written in the future", brief(ahead, now), []string{"k1 current since 2026-11-20T09:30:00.000Z"})
}

// In any order of rotations and retirements, the secret is readable, and has the key of every valid refresh token.
func TestNoLiveTokenLosesItsKey(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v, at := made(now), now
		before, changed := v, now // before is what functions know that have not read the secret since changed
		lastSigned := map[string]game.Instant{}
		change := func(s token.Secret) { before, changed, v = v, at, written(s, at) }
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			for range rapid.IntRange(0, 3).Draw(r, "tokens") {
				at = at.Add(time.Duration(rapid.OneOf(rapid.IntRange(0, 900), rapid.IntRange(0, 10*24*3600)).Draw(r, "seconds")) * time.Second)
				lastSigned[v.Signer(at)] = at
				if at < changed.Add(token.MaxAge) {
					lastSigned[before.Signer(at)] = at
				}
			}
			if at < changed.Add(token.MaxAge) {
				continue // one change at a time, so that functions know this version or the one before
			}
			if rapid.Bool().Draw(r, "rotate") {
				s, _, err := v.Rotate(NewKey(), at, token.Lead)
				require.NoError(r, err)
				change(s)
				continue
			}
			list := v.List(at)
			kid := list[rapid.IntRange(0, len(list)-1).Draw(r, "key")].Kid
			if left, err := v.Retire(kid, at); err == nil {
				change(left)
			}
			for kid, signed := range lastSigned {
				_, ok := v.Keys[kid]
				require.True(r, ok || at >= signed.Add(game.RefreshTokenLifetime+time.Second),
					"at %v the key %s is gone, which signed at %v", at, kid, signed)
			}
			_, err := token.ParseSecret(v.Text())
			require.NoError(r, err)
		}
	})
}

func TestCheckKey(t *testing.T) {
	for name, key := range map[string]string{
		"31 bytes": NewKey()[:31], "nothing": "", "one letter": strings.Repeat("a", 64), "two halves": strings.Repeat(NewKey()[:20], 2),
		"a word": strings.Repeat("secret", 8)[:40], "few letters": strings.Repeat("a", 40) + "bcdefgh",
		"letters by turns": strings.Repeat("ab", 20) + "c", "a year": strings.Repeat("2026", 10),
	} {
		if err := CheckKey(key); err == nil {
			t.Errorf("%s is accepted", name)
		} else if len(key) > 0 && strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error quotes it: %v", name, err)
		}
	}
	for name, key := range map[string]string{
		"of the template": "h4DsOcpPKdYZ2aJX1lGm7wVbTqRfU8nE3yIxA6WzSjB9tLkC5vQeHgMr0iFuNoPd", "hexadecimal": "d41d8cd98f00b204e9800998ecf8427e",
		"a sentence": "the signing key of this very year, 2026",
	} {
		err := CheckKey(key)
		assert.NoError(t, err, "%s", name)
	}
	seen := map[string]bool{}
	for range 1000 {
		key := NewKey()
		err := CheckKey(key)
		require.True(t, err == nil && len(key) == 64 && !seen[key], "a new key of %d bytes: %v", len(key), err)
		seen[key] = true
	}
}
