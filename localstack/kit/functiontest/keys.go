package functiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// These are the signing keys of benches, by their ids. Keys signs with k2, and accepts tokens of k2 and k1, but not k0.
var (
	current = map[string][]byte{"k2": []byte("the signing key of this very year, 2026"), "k1": older["k1"]}
	older   = map[string][]byte{"k1": []byte("the signing key of the year before this")}
	retired = map[string][]byte{"k0": []byte("the signing key of the year before last")}
)

// Keys returns the signing keys of benches' endpoints.
func Keys() *token.Keys { return ring("k2", current) }

// RetiredKeys returns keys that sign with a key that endpoints no longer accept.
func RetiredKeys() *token.Keys { return ring("k0", retired) }

func ring(signs string, live map[string][]byte) *token.Keys {
	keys, err := token.NewKeys(signs, live)
	if err != nil {
		panic(err)
	}
	return keys
}

// Access returns an access token for the user, issued at the bench's time with Keys.
func (b *Bench) Access(t testing.TB, u game.User) string { return AccessBy(t, Keys(), u, b.Now) }

// AccessBy returns an access token for the user u, signed by keys at the time now.
func AccessBy(t testing.TB, keys *token.Keys, u game.User, now game.Instant) string {
	t.Helper()
	issued, err := keys.IssueAccess(u, now)
	require.NoError(t, err)
	return issued
}

// RefreshBy returns a refresh token for the user, signed by keys at the time now, and the token's record.
func RefreshBy(t testing.TB, keys *token.Keys, user game.ID, now game.Instant) (string, game.RefreshRecord) {
	t.Helper()
	issued, record, err := keys.IssueRefresh(user, now)
	require.NoError(t, err)
	return issued, record
}
