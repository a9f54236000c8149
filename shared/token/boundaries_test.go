package token_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// TestReadsForUnknownKeys holds which tokens of unknown keys make a ring read the secret, to the millisecond. What
// cannot be a kid of ours, and what is no token of ours for another reason, is not worth a read.
func TestReadsForUnknownKeys(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	other := tokentest.Access(tokentest.Key{ID: "z", Secret: []byte(keyText("z"))}, userID, now)
	other.Header["alg"] = "HS512"
	forged := tokentest.Access(tokentest.Key{ID: "a", Secret: []byte(keyText("z"))}, userID, now)
	for _, step := range []struct {
		what, text string
		after      time.Duration
		reads      int64
	}{
		{"no kid", strange("", now), 0, 1},
		{"an id longer than any of ours", strange(strings.Repeat("z", 65), now), 0, 1},
		{"another algorithm", other.String(), 0, 1},
		{"a known kid, forged", forged.String(), 0, 1},
		{"no token", "rubbish", 0, 1},
		{"nothing", "", 0, 1},
		{"the longest id", strange(strings.Repeat("z", 64), now), 0, 2},
		{"within the pause", strange("z", now), token.ReadingPause - time.Millisecond, 2},
		{"after the pause", strange("z", now), token.ReadingPause, 3},
		{"when the keys are old, which is read once", strange("z", now), token.ReadingPause + token.MaxAge, 4},
	} {
		if _, err := ring.VerifyAccess(step.text, now.Add(step.after)); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%s: %v", step.what, err)
		}
		if reads := secrets.reads.Load(); reads != step.reads {
			t.Errorf("%s: %d reads, want %d", step.what, reads, step.reads)
		}
	}
}

// TestPauseAfterAFailedRead holds when a ring tries again to read the secret, to the millisecond.
func TestPauseAfterAFailedRead(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	secrets.fails = true
	for _, step := range []struct {
		after time.Duration
		reads int64
	}{{token.MaxAge, 2}, {token.MaxAge + token.ReadingPause - time.Millisecond, 2}, {token.MaxAge + token.ReadingPause, 3}} {
		access(t, ring, now.Add(step.after))
		if reads := secrets.reads.Load(); reads != step.reads {
			t.Errorf("after %v: %d reads, want %d", step.after, reads, step.reads)
		}
	}
}

// TestTheLatestKeySigns holds that of the keys whose time has come the latest signs, whatever their names and order.
func TestTheLatestKeySigns(t *testing.T) {
	s := token.Secret{
		Current: "next", Keys: map[string]string{"next": keyText("n"), "a": keyText("a"), "b": keyText("b")},
		Since: map[string]game.Instant{"next": now + 1, "a": now, "b": now - 1},
	}
	for range 20 { // orders of a map
		if kid := s.Signer(now); kid != "a" {
			t.Fatalf("%s signs", kid)
		}
	}
}

// TestSecretsAreWrittenAsTheyAreRead holds what only Text and Signing know of a secret.
func TestSecretsAreWrittenAsTheyAreRead(t *testing.T) {
	if text := (token.Secret{Current: "a", Keys: map[string]string{"a": keyText("a")}}).Text(); strings.Contains(text, "since") {
		t.Errorf("%s says something of no key", text)
	}
	for _, kid := range []string{"current", "since"} {
		s := token.Secret{Current: kid, Keys: map[string]string{kid: keyText("a")}}
		if _, err := s.Signing(); err == nil {
			t.Errorf("a key may be called %s", kid)
		}
	}
}
