package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// In these races, the number that a guard compares is not 0 any more, so that the condition has another text.
// TestWhatComesInTheWayOfAnEntry also plays such races.

func TestTermsThatHaveChangedBeforeChangeAgain(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, f fair) error{
		"during an entry":       func(t *testing.T, f fair) error { return f.enter(t.Context(), f.Ann, 0) },
		"during a change":       func(t *testing.T, f fair) error { return f.setShow(t, operate.ShowChange{Tier: new(game.TierElite)}) },
		"during a cancellation": func(t *testing.T, f fair) error { return f.cancelShow(t) },
		"during a judging":      func(t *testing.T, f fair) error { return f.judge(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			f.MustSet(t, f.Show, operate.ShowChange{EntryFee: new(int64(60))})
			f.Meanwhile(func() { f.MustSet(t, f.Show, operate.ShowChange{Name: new("Autumn Fair"), EntryFee: new(int64(70))}) })
			checkError(t, do(t, f), nil)
			record := must(f.ShowRecord(t.Context(), f.Show.ID))(t)
			storetest.Equal(t, "name", record.Name, "Autumn Fair")
			storetest.Equal(t, "fee", record.EntryFee, 70)
			storetest.Equal(t, "gold", f.AccountOf(t, f.Ann.ID).GoldBalance, 500-70*record.EntryCount)
		})
	}
}

// A user's record is gone only if the table is damaged. An entry without a fee also finds this out, although it moves
// no gold.
func TestAUserIsGoneDuringAFreeEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Meanwhile(func() { f.At(store.UserKey(f.Ann.ID)).Delete(t) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrUnauthorized)
}

// If a second login or revocation commits during a revocation, the revocation reads again.
func TestARevocationAfterOthersRaces(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	login := func(began game.Instant) game.RefreshRecord {
		token := f.AtTime(began).NewRefresh(f.Ann.ID)
		checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.AccountOf(t, f.Ann.ID), token, game.Rehash{}, began)), nil)
		return token
	}
	revoke := func(s operate.Desk, at game.Instant) {
		checkError(t, s.Operator(f.AtTime(at).Change()).RevokeSessions(t.Context(), f.Ann.ID), nil)
	}
	login(f.Now + 500)
	var token game.RefreshRecord
	f.Meanwhile(func() { token = login(f.Now + 5000) })
	revoke(f.Desk, f.Now+1000)
	assert.True(t, f.AccountOf(t, f.Ann.ID).Revoked(token), "the login is not revoked")
	f.Meanwhile(func() { revoke(f.Rival, f.Now+9000) })
	revoke(f.Desk, f.Now+8000)
	from := f.AccountOf(t, f.Ann.ID).SessionsFrom
	assert.Equal(t, f.Now+9002, from, "sessions are good from %d on, want 9002", from-f.Now)
}
