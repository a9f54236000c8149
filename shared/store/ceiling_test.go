package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// A show at its ceiling refuses the next entry like a closed show, before any gold moves. It is judged, and prizes are
// claimed, as in any other show.
func TestAFullShowAcceptsNoEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Table.Store = f.WithCeiling(2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	f.Unchanged(t, func() { checkError(t, f.enter(t.Context(), f.Ann, 2), game.ErrShowClosed) })
	checkError(t, f.enter(t.Context(), f.Ann, 1), game.ErrDuplicateEntry)
	f.CheckGold(t, f.Ann.ID, 400, 500, -50, -50)
	_, _, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, game.NewID(), f.Now) // an unknown animal
	checkError(t, err, game.ErrShowClosed)
	poor := f.AddPlayer(t, storetest.Bob)
	f.At(store.UserKey(poor.ID)).Edit(t, "SET g = :g", map[string]any{":g": 1})
	checkError(t, f.enter(t.Context(), poor, 0), game.ErrShowClosed)
	f.At(store.UserKey(poor.ID)).Edit(t, "SET g = :g", map[string]any{":g": 500})
	f.MustJudge(t, f.Ann, f.Show)
	f.checkClaim(t, f.Ann, "rank 1, prize 100")
	f.Invariants(t)
}

// By default, a show accepts store.Ceiling entries. The test sets the count of the show's only gate.
func TestTheCeilingOfAShow(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.counts(t, store.Ceiling)
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
	f.counts(t, store.Ceiling-1)
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.At(store.GateKey(f.Show, 0)).Edit(t, "SET n = :n", map[string]any{":n": 1})
	f.Invariants(t)
}

// If another entry takes the last place between an entry's read and its write, the entry is refused.
func TestAShowFillsUpDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Table.Store = f.WithCeiling(1)
	bob := f.AddPlayer(t, storetest.Bob)
	f.Meanwhile(func() { f.MustEnter(t, bob, f.Show, 0) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
	f.CheckGold(t, f.Ann.ID, 500, 500)
	f.Invariants(t)
}

// In a crowd, each gate accepts its share of the ceiling, and no more.
func TestACrowdBeforeAFullShow(t *testing.T) {
	t.Parallel()
	const gates, ceiling = 3, 6
	f := newFair(t, game.TierRookie, 50, gates)
	s := f.WithCeiling(ceiling)
	players := make([]storetest.Player, 8)
	share := map[int]int64{}
	for i := range players {
		players[i] = f.AddPlayer(t, storetest.Anybody)
		for _, animal := range players[i].Animals {
			k := store.GateOf(animal.ID, gates)
			share[k] = min(share[k]+1, ceiling/gates)
		}
	}
	counts := atOnce(t, 3*len(players), func(i int) error {
		p := players[i/3]
		_, _, err := s.Enter(t.Context(), p.ID, f.Show.ID, p.Animals[i%3].ID, f.Now)
		return err
	}, nil, game.ErrShowClosed)
	accepted := int64(counts[nil])
	storetest.Equal(t, "entries", accepted, share[0]+share[1]+share[2])
	record := must(f.ShowRecord(t.Context(), f.Show.ID))(t)
	storetest.Equal(t, "counted", record.EntryCount, accepted)
	f.Invariants(t)
}
