package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestEntryIsWritten(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	animal := f.Ann.Animals[1]
	show, entered, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, animal.ID, f.Now)
	require.NoError(t, err)
	storetest.Equal(t, "show", show, f.Show)
	storetest.Equal(t, "animal", entered, animal)
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	require.True(t, err == nil && len(entries) == 1, "%v, %v", entries, err)
	storetest.Equal(t, "entry", entries[0], game.Entry{
		ID: entries[0].ID, PlayerID: f.Ann.ID, PlayerUsername: f.Ann.Username, AnimalID: animal.ID, AnimalName: animal.Name,
		Breed: animal.Breed, RarityTier: animal.RarityTier, CreatedAt: f.Now,
	})
	_, ok := game.ParseID(string(entries[0].ID))
	assert.True(t, ok, "the entry's id is %q", entries[0].ID)
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
}

// No tool makes a show with a fee below 0. If there is such a show, it does not pay its players.
func TestFeeBelowZeroIsFree(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET fe = :fee", map[string]any{":fee": -50})
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckGold(t, f.Ann.ID, 500, 500)
}

// An entry that the caller or the show forbids is refused after one read. If the animal forbids it, the gate is read,
// because a full show comes first.
func TestEntriesOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	stranger := f.AddPlayer(t, storetest.Bob)
	for _, c := range []struct {
		caller, show, animal game.ID
		want                 error
		requests             int
	}{
		{f.Ann.ID, "", f.Ann.Animals[0].ID, game.ErrShowClosed, 1}, {f.Ann.ID, game.NewID(), f.Ann.Animals[0].ID, game.ErrShowClosed, 1},
		{f.Ann.ID, f.Show.ID, stranger.Animals[0].ID, game.ErrAnimalUnknown, 2},
		{game.NewID(), f.Show.ID, f.Ann.Animals[0].ID, game.ErrUnauthorized, 1},
	} {
		f.Wire.Reset()
		_, _, err := f.Enter(t.Context(), c.caller, c.show, c.animal, f.Now)
		checkError(t, err, c.want)
		storetest.Equal(t, "requests", f.Wire.Cost().Requests, c.requests)
	}
}

// An entry has copies of the names: it keeps them if only the items of the animal and its owner change.
func TestEntryKeepsTheNamesOfItsTime(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	animal := f.Ann.Animals[0]
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.At(store.AnimalKey(f.Ann.ID, animal.ID)).Edit(t, "SET na = :x, br = :x, rt = :x", map[string]any{":x": "other"})
	f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET un = :x", map[string]any{":x": "other"})
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	require.True(t, err == nil && len(entries) == 1, "%v, %v", entries, err)
	e := entries[0]
	storetest.Equal(t, "names", []string{e.PlayerUsername, e.AnimalName, e.Breed, e.RarityTier},
		[]string{f.Ann.Username, animal.Name, animal.Breed, animal.RarityTier})
}

// participation returns the participation of Ann's animal i.
func (f fair) participation(i int) storetest.Row {
	return f.At(store.ParticipationKey(f.Ann.ID, f.Season.ID, f.Show.ID, f.Ann.Animals[i].ID))
}
