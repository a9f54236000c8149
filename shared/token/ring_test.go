package token_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// store stands in for Secrets Manager, from which processes read the secret.
type store struct {
	secret token.Secret
	fails  bool
	reads  atomic.Int64
}

func (s *store) read() (*token.Keys, error) {
	s.reads.Add(1)
	if s.fails {
		return nil, errors.New("no answer")
	}
	return s.secret.Signing()
}

// start starts a process at the given time.
func (s *store) start(t rapid.TB, now game.Instant) *token.Ring {
	keys, err := s.read()
	require.NoError(t, err)
	return token.NewRing(keys, now.Time(), token.MaxAge, s.read)
}

func keyText(kid string) string { return strings.Repeat(kid[:1], 40) + kid }

func newStore() *store {
	return &store{secret: token.Secret{Current: "a", Keys: map[string]string{"a": keyText("a")}}}
}

// rotate adds a key that is current from the instant on.
func (s *store) rotate(kid string, from game.Instant) {
	before := s.secret
	s.secret = token.Secret{Current: kid, Keys: map[string]string{kid: keyText(kid)}, Since: map[string]game.Instant{kid: from}}
	maps.Copy(s.secret.Keys, before.Keys)
	maps.Copy(s.secret.Since, before.Since)
}

// wantReads checks how often processes have read the secret, starts included.
func (s *store) wantReads(t *testing.T, what any, want int64) {
	t.Helper()
	reads := s.reads.Load()
	assert.Equal(t, want, reads, "%v: %d reads, want %d", what, reads, want)
}

func kidOf(t testing.TB, text string) any {
	t.Helper()
	return tokentest.Parse(t, text).Header["kid"]
}

// strange returns an access token with the key id, signed by a key that is in no secret.
func strange(kid string, now game.Instant) string {
	return tokentest.Access(tokentest.Key{ID: kid, Secret: []byte(keyText("z"))}, userID, now).String()
}

// The test draws starts of processes, requests, rotations, and invalid tokens that cause reads at any moment. No
// process refuses a token that another process has issued, and each signs with the key that signs at that instant.
func TestNobodyIsLoggedOutByARotation(t *testing.T) {
	type issued struct {
		text string
		at   game.Instant
	}
	rapid.Check(t, func(r *rapid.T) {
		secrets, rings := newStore(), []*token.Ring{}
		var live []issued
		at, rotations := now, 0
		for range rapid.IntRange(10, 120).Draw(r, "steps") {
			at = at.Add(time.Duration(rapid.Int64Range(0, 90_000).Draw(r, "pause")) * time.Millisecond)
			if len(rings) == 0 || rapid.IntRange(0, 9).Draw(r, "start") == 0 {
				rings = append(rings, secrets.start(r, at))
			}
			ring := rings[rapid.IntRange(0, len(rings)-1).Draw(r, "process")]
			switch rapid.SampledFrom([]string{"sign", "sign", "verify", "verify", "verify", "rubbish", "rotate"}).Draw(r, "what") {
			case "sign":
				session, err := ring.IssueSession(user, at)
				require.NoError(r, err)
				live = append(live, issued{session.Refresh, at})
				if kid := kidOf(t, session.Refresh); kid != secrets.secret.Signer(at) {
					r.Fatalf("at %v signs %v, want %s", at, kid, secrets.secret.Signer(at))
				}
			case "verify":
				for _, x := range live {
					if _, err := ring.VerifyRefresh(x.text, at); err != nil {
						r.Fatalf("issued at %v with %v, at %v: %v", x.at, kidOf(t, x.text), at, err)
					}
				}
			case "rubbish":
				_, err := ring.VerifyAccess(strange("zz", at), at)
				require.ErrorIs(r, err, token.ErrInvalid)
			case "rotate":
				if secrets.secret.Signer(at) == secrets.secret.Current { // as in ranchctl
					rotations++
					secrets.rotate(fmt.Sprintf("%c", 'a'+rotations%20), at.Add(token.Lead))
				}
			}
		}
	})
}

// A flood of tokens with unknown keys causes one read every half minute (ReadingPause). If the clock is then set back
// an hour, a token with a known key causes one more read.
func TestFloodOfUnknownKeys(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	for i := range 600 { // one minute
		at := now.Add(time.Duration(i) * 100 * time.Millisecond)
		_, err := ring.VerifyAccess(strange(fmt.Sprint("z", i), at), at)
		require.ErrorIs(t, err, token.ErrInvalid)
	}
	secrets.wantReads(t, "within a minute", 1+2)
	back := now.Add(-time.Hour)
	good := issueAccess(t, ring, back)
	for range 10 {
		_, err := ring.VerifyAccess(good, back)
		assert.NoError(t, err)
	}
	secrets.wantReads(t, "when the clock is set back", 4)
}

func TestKeysAreReadAgainWhenTheyAreOld(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	removed := issueAccess(t, ring, now)
	secrets.rotate("b", now)
	delete(secrets.secret.Keys, "a")
	for _, step := range []struct {
		after time.Duration
		kid   string
		reads int64
	}{{token.MaxAge - time.Millisecond, "a", 1}, {token.MaxAge, "b", 2}, {2*token.MaxAge - time.Millisecond, "b", 2}, {2 * token.MaxAge, "b", 3}} {
		kid := kidOf(t, issueAccess(t, ring, now.Add(step.after)))
		assert.True(t, kid == step.kid, "after %v signs %v, want %s", step.after, kid, step.kid)
		secrets.wantReads(t, step.after, step.reads)
	}
	_, err := ring.VerifyAccess(removed, now.Add(2*token.MaxAge))
	assert.ErrorIs(t, err, token.ErrInvalid, "a key that is gone: %v", err)
}

// While the secret cannot be read, the ring keeps its keys, and one request every half minute tries to read again.
func TestKeysSurviveAnOutage(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	session, err := ring.IssueSession(user, now)
	require.NoError(t, err)
	secrets.fails = true
	secrets.rotate("b", now)
	at := now.Add(token.MaxAge)
	for range 120 { // two minutes
		at = at.Add(time.Second)
		_, err := ring.VerifyRefresh(session.Refresh, at)
		require.NoError(t, err)
		kid := kidOf(t, issueAccess(t, ring, at))
		require.True(t, kid == "a", kid)
	}
	secrets.wantReads(t, "in two minutes", 1+4)
	secrets.fails = false
	next := at.Add(time.Second) // ReadingPause after the last read
	kid := kidOf(t, issueAccess(t, ring, next-1))
	assert.True(t, kid == "a", "before the next read %v signs", kid)
	kid = kidOf(t, issueAccess(t, ring, next))
	assert.True(t, kid == "b", "after the outage %v signs", kid)
}

// Of many concurrent requests, one reads the keys. Requests with an unknown key wait for the read, and no others.
func TestOneReadAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secrets := newStore()
		keys, err := secrets.read()
		require.NoError(t, err)
		begun, proceed := make(chan struct{}), make(chan struct{})
		ring := token.NewRing(keys, now.Time(), token.MaxAge, func() (*token.Keys, error) {
			close(begun) // panics if a second read begins
			<-proceed
			return secrets.read()
		})
		good := issueAccess(t, ring, now)
		secrets.rotate("b", now)
		unknown := issueAccess(t, secrets.start(t, now), now)
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				_, err := ring.VerifyAccess(unknown, now)
				assert.NoError(t, err)
			})
		}
		synctest.Wait()                                                 // one reads, and the others wait for it
		for _, at := range []game.Instant{now, now.Add(token.MaxAge)} { // also when they are old
			_, err := ring.VerifyAccess(good, at)
			assert.NoError(t, err)
			kid := kidOf(t, issueAccess(t, ring, at))
			assert.True(t, kid == "a", kid)
		}
		close(proceed)
		waiting.Wait()
		secrets.wantReads(t, "of many requests", 2+1)
	})
}

// TestReadsForUnknownKeys checks which tokens make a ring read the secret, and when, to the millisecond. A token with
// no key id, with one of more than 64 bytes, or with another flaw does not cause a read.
func TestReadsForUnknownKeys(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	other := tokentest.Access(tokentest.Key{ID: "z", Secret: []byte(keyText("z"))}, userID, now)
	other.Header["alg"] = "HS512"
	hmac := tokentest.Access(tokentest.Key{ID: "a", Secret: []byte(keyText("a"))}, userID, now)
	hmac.Header["alg"], hmac.Sign = "HS256", tokentest.HS256([]byte(keyText("a")))
	forged := tokentest.Access(tokentest.Key{ID: "a", Secret: []byte(keyText("z"))}, userID, now)
	for _, step := range []struct {
		what, text string
		after      time.Duration
		reads      int64
	}{
		{"no kid", strange("", now), 0, 1},
		{"an id longer than any of ours", strange(strings.Repeat("z", 65), now), 0, 1},
		{"another algorithm", other.String(), 0, 1},
		{"a known kid, by HMAC", hmac.String(), 0, 1},
		{"a known kid, forged", forged.String(), 0, 1},
		{"no token", "rubbish", 0, 1},
		{"nothing", "", 0, 1},
		{"the longest id", strange(strings.Repeat("z", 64), now), 0, 2},
		{"within the pause", strange("z", now), token.ReadingPause - time.Millisecond, 2},
		{"after the pause", strange("z", now), token.ReadingPause, 3},
		{"when the keys are old, which is read once", strange("z", now), token.ReadingPause + token.MaxAge, 4},
	} {
		_, err := ring.VerifyAccess(step.text, now.Add(step.after))
		assert.ErrorIs(t, err, token.ErrInvalid, "%s: %v", step.what, err)
		secrets.wantReads(t, step.what, step.reads)
	}
}

// Without any keys, a ring cannot judge a token: verification fails with the error of the read, and the next request
// reads again. A text that no key could make valid is refused as invalid.
func TestTokensBeforeAnyKeys(t *testing.T) {
	secrets := newStore()
	issuer := secrets.start(t, now)
	good := issueAccess(t, issuer, now)
	none, err := token.NewPublicKeys(nil)
	require.NoError(t, err)
	secrets.fails = true
	ring := token.NewRing(none, time.Time{}, token.MaxAge, secrets.read)
	for i := range 3 {
		_, err := ring.VerifyAccess(good, now)
		assert.True(t, err != nil && !errors.Is(err, token.ErrInvalid) && err.Error() == "no answer", "without keys: %v", err)
		_, err = ring.VerifyAccess("rubbish", now)
		assert.ErrorIs(t, err, token.ErrInvalid, "rubbish: %v", err)
		secrets.wantReads(t, i, int64(2+i))
	}
	secrets.fails = false
	for range 2 {
		_, err := ring.VerifyAccess(good, now)
		assert.NoError(t, err)
	}
	secrets.fails = true // with keys in memory, an unknown key is wrong, even after a failed read
	later := now.Add(token.ReadingPause)
	_, err = ring.VerifyAccess(strange("z", later), later)
	assert.ErrorIs(t, err, token.ErrInvalid)
	secrets.wantReads(t, "after a failed read", 6)
}

// Text leaves out an empty "since", and Signing refuses the names of other members as key ids.
func TestSecretsAreWrittenAsTheyAreRead(t *testing.T) {
	text := (token.Secret{Current: "a", Keys: map[string]string{"a": keyText("a")}}).Text()
	assert.False(t, strings.Contains(text, "since"), "%s says something of no key", text)
	for _, kid := range []string{"current", "since"} {
		s := token.Secret{Current: kid, Keys: map[string]string{kid: keyText("a")}}
		_, err := s.Signing()
		assert.Error(t, err, "a key may be called %s", kid)
	}
}
