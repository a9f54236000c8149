package store_test

import (
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestEntryIsWritten(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	animal := f.Ann.Animals[1]
	show, entered, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, animal.ID, f.Now)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Equal(t, "show", show, f.Show)
	storetest.Equal(t, "animal", entered, animal)
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	storetest.Equal(t, "entry", entries[0], game.Entry{
		ID: entries[0].ID, PlayerID: f.Ann.ID, PlayerUsername: f.Ann.Username, AnimalID: animal.ID, AnimalName: animal.Name,
		Breed: animal.Breed, RarityTier: animal.RarityTier, CreatedAt: f.Now,
	})
	if _, ok := game.ParseID(string(entries[0].ID)); !ok {
		t.Errorf("the entry's id is %q", entries[0].ID)
	}
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
}

// No tool makes such a show. With it, a fee below 0 must not pay a player.
func TestFeeBelowZeroIsFree(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET fe = :fee", map[string]any{":fee": -50})
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckGold(t, f.Ann.ID, 500, 500)
}

func TestShowsThatTakeNoEntries(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	enter := func(show game.ID, now game.Instant) error {
		_, _, err := f.Enter(t.Context(), f.Ann.ID, show, f.Ann.Animals[0].ID, now)
		return err
	}
	for _, show := range []game.ID{"", game.NewID()} {
		checkError(t, enter(show, f.Now), game.ErrShowClosed)
	}
	for _, late := range []game.Instant{0, 1, game.Instant(time.Hour.Milliseconds())} {
		checkError(t, enter(f.Show.ID, f.Show.EntryClosesAt+late), game.ErrShowClosed)
	}
	f.CheckGold(t, f.Ann.ID, 500, 500)
	if err := enter(f.Show.ID, f.Show.EntryClosesAt-1); err != nil {
		t.Errorf("a millisecond before the closing time: %v", err)
	}
	f.MustJudge(t, f.Ann, f.Show)
	_, _, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[1].ID, f.Now)
	checkError(t, err, game.ErrShowClosed)
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
}

func TestAnimalsThatMayNotEnter(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	died := f.Now - 1
	calf, pregnant, adult, idle := game.StageCalf, game.StatusPregnant, game.StageAdult, game.StatusIdle
	for _, c := range []struct {
		change store.AnimalChange
		want   error
	}{
		{store.AnimalChange{Stage: &calf}, game.ErrCalf},
		{store.AnimalChange{Status: &pregnant}, game.ErrPregnant}, // and a calf
		{store.AnimalChange{DiedAt: &died}, game.ErrAnimalUnknown},
		{store.AnimalChange{Alive: true, Stage: &adult}, game.ErrPregnant},
		{store.AnimalChange{Status: &idle}, nil},
	} {
		f.MustChange(t, f.Ann, 0, c.change)
		f.Wire.Reset()
		checkError(t, f.enter(t.Context(), f.Ann, 0), c.want)
		if requests := f.Wire.Cost().Requests; c.want != nil && requests != 1 {
			t.Errorf("%v took %d requests: nobody needs to look for an entry", c.want, requests)
		}
	}
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)

	stranger := f.AddPlayer(t, storetest.Bob)
	for _, foreign := range []game.ID{stranger.Animals[0].ID, game.NewID()} {
		_, _, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, foreign, f.Now)
		checkError(t, err, game.ErrAnimalUnknown)
	}
	_, _, err := f.Enter(t.Context(), game.NewID(), f.Show.ID, stranger.Animals[0].ID, f.Now)
	checkError(t, err, game.ErrUnauthorized)
}

// Renaming an animal, or its owner, afterwards does not change the entry.
func TestEntryKeepsTheNamesOfItsTime(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	animal := f.Ann.Animals[0]
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.At(store.AnimalKey(f.Ann.ID, animal.ID)).Edit(t, "SET na = :x, br = :x, ti = :x", map[string]any{":x": "other"})
	f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET un = :x", map[string]any{":x": "other"})
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	e := entries[0]
	storetest.Equal(t, "names", []string{e.PlayerUsername, e.AnimalName, e.Breed, e.RarityTier},
		[]string{f.Ann.Username, animal.Name, animal.Breed, animal.RarityTier})
}

// participation returns the participation of Ann's animal i.
func (f fair) participation(i int) storetest.Row {
	return f.At(store.ParticipationKey(f.Ann.ID, f.Season.ID, f.Show.ID, f.Ann.Animals[i].ID))
}
