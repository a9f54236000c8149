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
