package functiontest

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// The signing keys of benches: the current one signs, the older one did and is still live, the retired one is gone.
var (
	current = tokentest.Key{ID: "k2", Secret: []byte("the signing key of this very year, 2026")}
	older   = tokentest.Key{ID: "k1", Secret: []byte("the signing key of the year before this")}
	retired = tokentest.Key{ID: "k0", Secret: []byte("the signing key of the year before last")}
)

// Keys are the keys that benches' endpoints have.
func Keys() *token.Keys { return ring(current, older) }

// OlderKeys issue tokens as they were issued before the last change of keys.
func OlderKeys() *token.Keys { return ring(older) }

// RetiredKeys issue tokens as they were issued before the last but one.
func RetiredKeys() *token.Keys { return ring(retired) }

// ring is keys of which the first one signs.
func ring(live ...tokentest.Key) *token.Keys {
	secrets := map[string][]byte{}
	for _, key := range live {
		secrets[key.ID] = key.Secret
	}
	keys, err := token.NewKeys(live[0].ID, secrets)
	if err != nil {
		panic(err)
	}
	return keys
}

// Access returns an access token for the user that is issued at the bench's time.
func (b *Bench) Access(t testing.TB, u game.User) string { return AccessBy(t, Keys(), u, b.Now) }

// AccessBy returns an access token for the user.
func AccessBy(t testing.TB, keys *token.Keys, u game.User, now game.Instant) string {
	t.Helper()
	issued, err := keys.IssueAccess(u, now)
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

// RefreshBy returns a refresh token for the user, with its record.
func RefreshBy(t testing.TB, keys *token.Keys, user game.ID, now game.Instant) (string, game.RefreshRecord) {
	t.Helper()
	issued, record, err := keys.IssueRefresh(user, now)
	if err != nil {
		t.Fatal(err)
	}
	return issued, record
}

// HandmadeRefresh is a refresh token in the making that is good at the bench's time, as long as nothing of it is
// changed and there is a record.
func (b *Bench) HandmadeRefresh(user game.ID) tokentest.Token {
	return tokentest.Refresh(current, user, b.Now)
}

// Forgeries returns what must not pass for a good token of the service's at the bench's time: what was never one, and
// what has expired.
func (b *Bench) Forgeries(t testing.TB, good string) (invalid, expired map[string]string) {
	t.Helper()
	return tokentest.Forgeries(t, good, b.Now, current, older, retired)
}
