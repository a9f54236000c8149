package token_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

func TestNewKeysCopies(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	keys, err := token.NewKeys("k1", map[string][]byte{"k1": key})
	require.NoError(t, err)
	before := issueAccess(t, keys, now)
	key[0] = 'x'
	_, err = keys.VerifyAccess(before, now)
	assert.NoError(t, err, "the caller's change of its slice changed the key")
}

// The current key signs from its instant on, and the key before it until then. Every key verifies at any time.
func TestSignerByTheInstant(t *testing.T) {
	const first, second = game.Instant(1_000_000), game.Instant(2_000_000)
	for name, c := range map[string]struct {
		current string
		since   map[string]game.Instant
		want    [3]string // before the first instant, between, from the second on
	}{
		"nothing is known":           {"b", nil, [3]string{"b", "b", "b"}},
		"of the current alone":       {"b", map[string]game.Instant{"b": first}, [3]string{"c", "b", "b"}},
		"of two":                     {"c", map[string]game.Instant{"b": first, "c": second}, [3]string{"a", "b", "c"}},
		"the latest is not the last": {"a", map[string]game.Instant{"a": second, "b": first}, [3]string{"c", "b", "a"}},
		"of another alone":           {"a", map[string]game.Instant{"b": first}, [3]string{"a", "a", "a"}},
		"one that came back by hand": {"b", map[string]game.Instant{"b": first, "c": second}, [3]string{"a", "b", "b"}},
		"no time has come":           {"b", map[string]game.Instant{"a": first, "b": second, "c": second}, [3]string{"b", "a", "b"}},
	} {
		s := token.Secret{Current: c.current, Since: c.since, Keys: map[string]string{}}
		for _, kid := range []string{"a", "b", "c"} {
			s.Keys[kid] = strings.Repeat(kid, 32)
		}
		keys, err := token.ParseSecret(s.Text())
		require.NoError(t, err, name)
		for i, span := range [][2]game.Instant{{0, first - 1}, {first, second - 1}, {second, second.Add(time.Hour)}} {
			for _, now := range span {
				issued := issueAccess(t, keys, now)
				if got := kidOf(t, issued); got != c.want[i] || s.Signer(now) != c.want[i] {
					t.Errorf("%s: at %v signs %v, or %s; want %s", name, now, got, s.Signer(now), c.want[i])
				}
				_, err := keys.VerifyAccess(issued, now)
				assert.NoError(t, err, "%s", name)
			}
		}
	}
}

// ReadSecret refuses a secret with a member of a wrong type: if it ignored the member, another key could sign.
func TestSecretsOfAnotherForm(t *testing.T) {
	key := strings.Repeat("a", 64)
	for _, text := range []string{`{"current":7,"a":"` + key + `"}`, `{"current":"a","since":{"a":7},"a":"` + key + `"}`, `{"current":"a","a":"` + key + `","b":7}`} {
		s, err := token.ReadSecret(text)
		assert.Error(t, err, "%s is read as %+v", text, s)
	}
}
