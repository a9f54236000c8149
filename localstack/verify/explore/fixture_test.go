package explore

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// epoch is the time at which every synctest bubble begins.
var epoch = game.InstantOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

// fixture is a stored state from which histories start. It has an open, a judged and a cancelled show, and two players,
// Ann and Bob, with an animal in each show. In "alone", only Ann is in the cancelled show. In "empty", no player is in
// the open show. In the judged show Ann is first and Bob has no rank. No prize was claimed.
type fixture struct {
	*storetest.Scene
	open, judged, cancelled game.Show
	bob, cid                storetest.Player // cid is not registered
}

// fixtures has functions that make the fixtures, by name. The records of a fixture are the same in every run.
var fixtures = map[string]func(t testing.TB) *fixture{
	"fair":  func(t testing.TB) *fixture { return newFixture(t, 50, true, true) },
	"alone": func(t testing.TB) *fixture { return newFixture(t, 50, true, false) },
	"empty": func(t testing.TB) *fixture { return newFixture(t, 50, false, true) },
	// After three fees of 125, Ann has 125 gold: enough for one more fee.
	"poor":   func(t testing.TB) *fixture { return newFixture(t, 125, true, true) },
	"banned": func(t testing.TB) *fixture { f := newFixture(t, 50, true, true); f.Ban(t, f.Ann.ID); return f },
}

func newFixture(t testing.TB, fee int64, anyInOpen, bothInCancelled bool) *fixture {
	t.Helper()
	uuid.SetRand(newIDs(1))
	defer uuid.SetRand(nil)
	f := &fixture{Scene: storetest.NewFixedScene(t, epoch)}
	f.AddSeason(t)
	f.open, f.judged, f.cancelled = f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee))
	f.Ann, f.bob = f.AddPlayer(t, storetest.Ann), f.AddPlayer(t, storetest.Bob, 80_00, 40_00, storetest.NoPhenotype)
	f.cid = f.NewPlayer(storetest.Cid)
	f.cid.PasswordHash = "a hash" // the same in each run
	if anyInOpen {
		f.MustEnter(t, f.Ann, f.open, 1)
	}
	f.MustEnter(t, f.Ann, f.judged, 1)
	f.MustEnter(t, f.Ann, f.cancelled, 1)
	if anyInOpen {
		f.MustEnter(t, f.bob, f.open, 1)
	}
	f.MustEnter(t, f.bob, f.judged, 2)
	if bothInCancelled {
		f.MustEnter(t, f.bob, f.cancelled, 1)
	}
	f.MustJudge(t, f.bob, f.judged)
	require.NoError(t, f.Operator().CancelShow(t.Context(), f.cancelled.ID))
	return f
}

// at returns the time of the call with this index in its history: the operation's time for the rules.
func at(place int) game.Instant { return epoch.Add(time.Duration(place+1) * time.Second) }

// change returns the operator's change of the call with this index.
func change(place int) operate.Change {
	var id [16]byte
	ms := uint64(at(place))
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6], id[8], id[15] = 0x70, 0x80, byte(place)
	return operate.Change{ID: game.ID(uuid.UUID(id).String()), By: "tester", Reason: "a gift", At: at(place)}
}

func session(user game.ID, place int) game.RefreshRecord {
	return game.RefreshRecord{
		ID: storetest.ID(5000 + place), UserID: user, Digest: fmt.Sprintf("digest%d", place), ExpiresAt: at(place).Add(game.RefreshTokenLifetime),
	}
}

// rival returns the id of the player who registers in this place, besides Cid.
func rival(place int) game.ID { return storetest.ID(600 + 100*place) }
