package blackbox

import (
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// developmentKey is what a local stack signs with; no other stack does.
var developmentKey = tokentest.Key{ID: "development", Secret: []byte("the development key that everybody knows, and nobody uses in earnest")}

func now() game.Instant { return game.InstantOf(time.Now()) }
