package blackbox

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// developmentKey is what a local stack signs with; no other stack does.
var developmentKey = tokentest.Key{ID: "development", Secret: []byte("the development key that everybody knows, and nobody uses in earnest")}

// handmade returns an access token for a user who never asked for one. It needs the suite's own stack, whose signing
// key is known.
func handmade(t *testing.T, user string) string {
	t.Helper()
	ownStack(t, "the signing key is not known")
	return tokentest.Access(developmentKey, game.ID(user), now()).String()
}

func now() game.Instant { return game.InstantOf(time.Now()) }

// lifetime is how far apart the claims exp and iat are.
func lifetime(t testing.TB, claims object) time.Duration {
	t.Helper()
	seconds := map[string]int64{}
	for _, name := range []string{"iat", "exp"} {
		n, ok := claims[name].(json.Number)
		i, err := n.Int64()
		if !ok || err != nil {
			t.Fatalf("%s is %v", name, claims[name])
		}
		seconds[name] = i
	}
	return time.Duration(seconds["exp"]-seconds["iat"]) * time.Second
}

// forgeries are texts that must not pass for the good token, by name: those that were never good, and those that were
// once.
func forgeries(t testing.TB, good string) (invalid, expired map[string]string) {
	t.Helper()
	if suite.own != nil {
		return tokentest.Forgeries(t, good, now(), developmentKey)
	}
	t.Log("NOT TESTED with RANCH_URL: tokens that are signed with the right key and bad all the same")
	return tokentest.Forgeries(t, good, now(), tokentest.Key{})
}

// TestForgeries_control shows that handmade tokens are good as such: forgeries are refused for what is wrong about
// them.
func TestForgeries_control(t *testing.T) {
	t.Parallel()
	p := reader(t)
	if animals := herd(t, handmade(t, p.id)); len(animals) != 3 {
		t.Errorf("%d animals", len(animals))
	}
	refresh(t, tokentest.Refresh(developmentKey, game.ID(p.id), now()).String()).
		refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired") // verified, and no record of it
}
