package signingkeys

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/signingkeys/signingkeystest"
)

func clock() time.Time { return now.Time() }

// newSecret returns a Secrets Manager's secret and its version.
func newSecret(t *testing.T) (*signingkeystest.Manager, Secret, Version) {
	m := signingkeystest.New(t, clock, made(now).Text())
	s := NewSecret(secretsmanager.New(secretsmanager.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(m.URL),
	}), "the-secret")
	v, err := s.Version(t.Context())
	require.NoError(t, err)
	return m, s, v
}

// If two operators change the same version, one succeeds, and the other changes nothing.
func TestReplaceOfWhatHasChanged(t *testing.T) {
	for _, at := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
		m, s, v := newSecret(t)
		others := made(now).Text()
		m.Before = func(operation string) {
			if operation == at {
				m.Put(others)
			}
		}
		err := s.Replace(t.Context(), v, rotated(t, v, now).Secret)
		assert.ErrorIs(t, err, ErrChanged, "changed before %s: %v", at, err)
		text, _ := m.Current()
		assert.Equal(t, others, text, "changed before %s: the other's change is lost", at)
	}
}

// If an answer is lost, Replace repeats the request and succeeds.
func TestReplaceWithALostAnswer(t *testing.T) {
	for _, lost := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
		m, s, v := newSecret(t)
		var once atomic.Bool
		m.Lose = func(operation string) bool { return operation == lost && once.CompareAndSwap(false, true) }
		next := rotated(t, v, now).Secret
		err := s.Replace(t.Context(), v, next)
		assert.NoError(t, err, "%s", lost)
		text, _ := m.Current()
		assert.True(t, text == next.Text() && once.Load(), "%s: the secret is not what was written", lost)
	}
}
