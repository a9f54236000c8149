package token_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// TestReadsForUnknownKeys holds which tokens of unknown keys make a ring read the secret, to the millisecond.
func TestReadsForUnknownKeys(t *testing.T) {
	secrets := newStore()
	ring := secrets.start(t, now)
	for _, step := range []struct {
		what  string
		kid   string
		after time.Duration
		reads int64
	}{
		{"an id longer than any of ours", strings.Repeat("z", 65), 0, 1},
		{"the longest id", strings.Repeat("z", 64), 0, 2},
		{"within the pause", "z", token.ReadingPause - time.Millisecond, 2},
		{"after the pause", "z", token.ReadingPause, 3},
		{"when the keys are old, which is read once", "z", token.ReadingPause + token.MaxAge, 4},
	} {
		at := now.Add(step.after)
		if _, err := ring.VerifyAccess(strange(step.kid, at), at); !errors.Is(err, token.ErrInvalid) {
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

// TestTokensOfANewKeyShareARead holds that a token of an unknown key waits for the read that another one has begun.
func TestTokensOfANewKeyShareARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secrets := newStore()
		keys, err := secrets.read()
		if err != nil {
			t.Fatal(err)
		}
		proceed := make(chan struct{})
		ring := token.NewRing(keys, now.Time(), token.MaxAge, func() (*token.Keys, error) {
			<-proceed
			return secrets.read()
		})
		secrets.rotate("b", now)
		text := access(t, secrets.start(t, now), now)
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := ring.VerifyAccess(text, now)
				errs <- err
			}()
			synctest.Wait()
		}
		close(proceed)
		if err := errors.Join(<-errs, <-errs); err != nil || secrets.reads.Load() != 3 {
			t.Errorf("%v, %d reads; want 2 at start and 1", err, secrets.reads.Load())
		}
	})
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
