package signingkeys

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/signingkeys/signingkeystest"
)

func clock() time.Time { return now.Time() }

func secretAt(url string) Secret {
	return NewSecret(secretsmanager.New(secretsmanager.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(url),
	}), "the-secret")
}

func TestReplace(t *testing.T) {
	m := signingkeystest.New(t, clock, made(now).Text())
	s := secretAt(m.URL)
	v, err := s.Version(t.Context())
	if err != nil || v.Written != now {
		t.Fatal(v.Written, err)
	}
	next := rotated(t, v, now).Secret
	if err := s.Replace(t.Context(), v, next); err != nil {
		t.Fatal(err)
	}
	got, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the secret", got.Secret, next)
	expect(t, "what is known of it", brief(got, now), brief(Becoming(next, now), now))
}

// Of two who change one version one succeeds, and the other one changes nothing.
func TestReplaceOfWhatHasChanged(t *testing.T) {
	for _, at := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
		m := signingkeystest.New(t, clock, made(now).Text())
		s, others := secretAt(m.URL), made(now).Text()
		v, err := s.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m.Before = func(operation string) {
			if operation == at {
				m.Put(others)
			}
		}
		if err := s.Replace(t.Context(), v, rotated(t, v, now).Secret); !errors.Is(err, ErrChanged) {
			t.Errorf("changed before %s: %v", at, err)
		}
		if text, _ := m.Current(); text != others {
			t.Errorf("changed before %s: the other's change is lost", at)
		}
	}
}

// An answer that is lost does not make a failure of what was done.
func TestReplaceWithALostAnswer(t *testing.T) {
	for _, lost := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
		m := signingkeystest.New(t, clock, made(now).Text())
		s := secretAt(m.URL)
		v, err := s.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var once atomic.Bool
		m.Lose = func(operation string) bool { return operation == lost && once.CompareAndSwap(false, true) }
		next := rotated(t, v, now).Secret
		if err := s.Replace(t.Context(), v, next); err != nil {
			t.Errorf("%s: %v", lost, err)
		}
		if text, _ := m.Current(); text != next.Text() || !once.Load() {
			t.Errorf("%s: the secret is not what was written", lost)
		}
	}
}

func TestSecretsThatAreOfNoUse(t *testing.T) {
	const key = "SENSITIVE-SENSITIVE-SENSITIVE-SENSITIVE-SENSITIVE"
	for name, text := range map[string]string{
		"no JSON": key, "no current key": `{"k1":"` + key + `"}`, "a short key": `{"current":"k1","k1":"SENSITIVE"}`,
	} {
		s := secretAt(signingkeystest.New(t, clock, text).URL)
		if _, err := s.Version(t.Context()); err == nil || strings.Contains(err.Error(), "SENSITIVE") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
