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

// epoch is the time at which every synctest bubble begins. later is after the end of the fixture's open show.
var (
	epoch = game.InstantOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	later = epoch.Add(2 * time.Hour)
)

// fixture is a stored state from which histories start. It has an open, a judged and a cancelled show, and two players,
// Ann and Bob, with an animal in each show. In the judged show Ann is first and Bob has no rank. No prize was claimed.
type fixture struct {
	*storetest.Scene
	open, judged, cancelled game.Show
	bob, cid                storetest.Player // cid is not registered
}

// fixtures are the fixtures by name, with what distinguishes them. A fixture's records are the same in every run.
var fixtures = map[string]struct {
	fee    int64
	empty  bool // no player is in the open show
	alone  bool // only Ann is in the cancelled show
	banned bool // Ann is banned
}{
	"fair":   {fee: 50},
	"poor":   {fee: 125}, // after three fees, Ann has 125 gold: enough for one more
	"empty":  {fee: 50, empty: true},
	"alone":  {fee: 50, alone: true},
	"banned": {fee: 50, banned: true},
}

func newFixture(t testing.TB, name string) *fixture {
	t.Helper()
	as := fixtures[name]
	uuid.SetRand(newIDs(1))
	defer uuid.SetRand(nil)
	f := &fixture{Scene: storetest.NewFixedScene(t, epoch)}
	f.AddSeason(t)
	for _, show := range []*game.Show{&f.open, &f.judged, &f.cancelled} {
		*show = f.AddShow(t, storetest.Fee(as.fee))
	}
	f.Ann, f.bob = f.AddPlayer(t, storetest.Ann), f.AddPlayer(t, storetest.Bob, 80_00, 40_00, storetest.NoPhenotype)
	f.cid = f.NewPlayer(storetest.Cid)
	f.cid.PasswordHash = "a hash" // the same in each run
	for i, p := range []storetest.Player{f.Ann, f.bob} {
		if !as.empty {
			f.MustEnter(t, p, f.open, 1)
		}
		f.MustEnter(t, p, f.judged, 1+i) // Bob's second animal has no phenotype
		if i == 0 || !as.alone {
			f.MustEnter(t, p, f.cancelled, 1)
		}
	}
	f.MustJudge(t, f.bob, f.judged)
	require.NoError(t, f.Operator().CancelShow(t.Context(), f.cancelled.ID))
	if as.banned {
		f.Ban(t, f.Ann.ID)
	}
	return f
}

// at returns the time of the call with this index in its history: the operation's time for the rules.
func at(place int) game.Instant { return epoch.Add(time.Duration(place+1) * time.Second) }

// change returns the operator's change of the call with this index.
func change(place int) operate.Change {
	ms := int64(at(place))
	id := fmt.Sprintf("%08x-%04x-7000-8000-%012d", ms>>16, ms&0xffff, place) // a UUID of version 7
	return operate.Change{ID: game.ID(id), By: "tester", Reason: "a gift", At: at(place)}
}

func session(user game.ID, place int) game.RefreshRecord {
	return game.RefreshRecord{
		ID: storetest.ID(5000 + place), UserID: user, Digest: fmt.Sprintf("digest%d", place),
		ExpiresAt: at(place).Add(game.RefreshTokenLifetime),
	}
}

// rival returns the id of the player who registers in this place, besides Cid.
func rival(place int) game.ID { return storetest.ID(600 + 100*place) }
