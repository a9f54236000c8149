package store_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestEntryIsWritten(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	animal := f.player.Animals[1]
	show, entered, err := f.Enter(t.Context(), f.player.ID, f.show.ID, animal.ID, f.now)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "show", show, f.show)
	checkEqual(t, "animal", entered, animal)
	_, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	checkEqual(t, "entry", entries[0], game.Entry{
		ID: entries[0].ID, PlayerID: f.player.ID, PlayerUsername: f.player.Username, AnimalID: animal.ID, AnimalName: animal.Name,
		Breed: animal.Breed, RarityTier: animal.RarityTier, CreatedAt: f.now,
	})
	if _, ok := game.ParseID(string(entries[0].ID)); !ok {
		t.Errorf("the entry's id is %q", entries[0].ID)
	}
	rows, err := f.Ledger(t.Context(), f.player.ID)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	checkEqual(t, "ledger row", rows[1], game.LedgerEntry{
		ID: rows[1].ID, UserID: f.player.ID, Seq: 2, Amount: -50, Currency: "gold", Category: game.CategoryFee, BalanceAfter: 450,
		Description: "Show entry: County Fair", RefID: &f.show.ID, CreatedAt: f.now,
	})
	f.checkGold(t, f.player, 450, 500, -50)
	f.Invariants(t)
}

func TestFreeEntryLeavesNoLedgerRow(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	f.checkGold(t, f.player, 500, 500)
	f.Invariants(t)
}

// No tool makes such a show. If there were one, a fee below 0 must not pay anybody.
func TestFeeBelowZeroIsFree(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.ShowKey(f.show.ID)).Edit(t, "SET fe = :fee", map[string]any{":fee": -50})
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	f.checkGold(t, f.player, 500, 500)
}

func TestTheLastCoinPaysAFee(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 500, 1)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	checkError(t, f.enter(t.Context(), f.player, 1), game.InsufficientGold(500))
	f.checkGold(t, f.player, 0, 500, -500)
	f.Invariants(t)
}

func TestShowsThatTakeNoEntries(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	enter := func(show game.ID, now game.Instant) error {
		_, _, err := f.Enter(t.Context(), f.player.ID, show, f.player.Animals[0].ID, now)
		return err
	}
	for _, show := range []game.ID{"", game.NewID()} {
		checkError(t, enter(show, f.now), game.ErrShowClosed)
	}
	for _, late := range []game.Instant{0, 1, game.Instant(time.Hour.Milliseconds())} {
		checkError(t, enter(f.show.ID, f.show.EntryClosesAt+late), game.ErrShowClosed)
	}
	f.checkGold(t, f.player, 500, 500)
	if err := enter(f.show.ID, f.show.EntryClosesAt-1); err != nil {
		t.Errorf("a millisecond before the closing time: %v", err)
	}
	f.MustJudge(t, f.player, f.show, f.now)
	_, _, err := f.Enter(t.Context(), f.player.ID, f.show.ID, f.player.Animals[1].ID, f.now)
	checkError(t, err, game.ErrShowClosed)
	f.checkGold(t, f.player, 450, 500, -50)
	f.Invariants(t)
}

func TestAnimalsThatMayNotEnter(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	died := f.now - 1
	calf, pregnant, adult, idle := game.StageCalf, game.StatusPregnant, game.StageAdult, game.StatusIdle
	animal := f.player.Animals[0].ID
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
		if _, err := f.ChangeAnimal(t.Context(), f.player.ID, animal, c.change); err != nil {
			t.Fatal(err)
		}
		checkError(t, f.enter(t.Context(), f.player, 0), c.want)
	}
	f.checkGold(t, f.player, 450, 500, -50)

	stranger := f.graded(t)
	for _, foreign := range []game.ID{stranger.Animals[0].ID, game.NewID()} {
		_, _, err := f.Enter(t.Context(), f.player.ID, f.show.ID, foreign, f.now)
		checkError(t, err, game.ErrAnimalUnknown)
	}
	f.Invariants(t)
}

// An animal of any other stage or status may enter: the rules speak of calves and pregnancy only.
func TestUnknownStagesAndStatusesMayEnter(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	stage, status := "elder", "grazing"
	if _, err := f.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[0].ID, store.AnimalChange{Stage: &stage, Status: &status}); err != nil {
		t.Fatal(err)
	}
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Error(err)
	}
	f.Invariants(t)
}

// The refusal is the first in the order of the rules, however many of them are broken.
func TestRefusalsComeInTheOrderOfTheRules(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 400, 1)
	enter := func(animal game.ID, now game.Instant) error {
		_, _, err := f.Enter(t.Context(), f.player.ID, f.show.ID, animal, now)
		return err
	}
	change := func(i int, c store.AnimalChange) {
		t.Helper()
		if _, err := f.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[i].ID, c); err != nil {
			t.Fatal(err)
		}
	}
	animal, calf, pregnant, died := f.player.Animals[0].ID, game.StageCalf, game.StatusPregnant, f.now
	if err := enter(animal, f.now); err != nil {
		t.Fatal(err)
	}
	// From here on gold is short, and the animal is entered already.
	checkError(t, enter(animal, f.now), game.ErrDuplicateEntry)
	checkError(t, enter(f.player.Animals[1].ID, f.now), game.InsufficientGold(400))
	change(0, store.AnimalChange{Stage: &calf})
	checkError(t, enter(animal, f.now), game.ErrCalf)
	change(0, store.AnimalChange{Status: &pregnant})
	checkError(t, enter(animal, f.now), game.ErrPregnant)
	change(0, store.AnimalChange{DiedAt: &died})
	checkError(t, enter(animal, f.now), game.ErrAnimalUnknown)
	checkError(t, enter(animal, f.show.EntryClosesAt), game.ErrShowClosed)
	f.ban(t, f.player)
	checkError(t, enter(animal, f.show.EntryClosesAt), game.ErrUnauthorized)
	f.checkGold(t, f.player, 100, 500, -400)
	f.Invariants(t)
}

// With gold enough, a duplicate shows only in the write, as do an animal's own reasons in the read: theirs come first.
func TestDuplicateComesAfterTheAnimal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	pregnant := game.StatusPregnant
	if _, err := f.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[0].ID, store.AnimalChange{Status: &pregnant}); err != nil {
		t.Fatal(err)
	}
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrPregnant)
	f.checkGold(t, f.player, 450, 500, -50)
}

func TestNobodyEntersForAMissingOrBannedCaller(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	_, _, err := f.Enter(t.Context(), game.NewID(), f.show.ID, f.player.Animals[0].ID, f.now)
	checkError(t, err, game.ErrUnauthorized)
	f.ban(t, f.player)
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrUnauthorized)
	checkError(t, f.SetUserStatus(t.Context(), f.player.ID, game.UserActive), nil)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Errorf("after the ban: %v", err)
	}
	f.Invariants(t)
}

// Renaming an animal, or its owner, afterwards does not change the entry.
func TestEntryKeepsTheNamesOfItsTime(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	animal := f.player.Animals[0]
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	f.At(store.AnimalKey(f.player.ID, animal.ID)).Edit(t, "SET na = :x, br = :x, ti = :x", map[string]any{":x": "other"})
	f.At(store.UserKey(f.player.ID)).Edit(t, "SET un = :x", map[string]any{":x": "other"})
	_, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	e := entries[0]
	checkEqual(t, "names", []string{e.PlayerUsername, e.AnimalName, e.Breed, e.RarityTier},
		[]string{f.player.Username, animal.Name, animal.Breed, animal.RarityTier})
}

// An animal may be in many shows, and a player in one show with many animals: one participation a show, with all of them.
func TestEntriesOfOnePlayer(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 4)
	other := f.Show(t, f.season, f.now, game.TierPro, 0, 1)
	for i := range f.player.Animals {
		if err := f.enter(t.Context(), f.player, i); err != nil {
			t.Fatal(err)
		}
		f.MustEnter(t, f.player, other, f.player.Animals[i], f.now)
	}
	row := f.At(store.ParticipationKey(f.player.ID, f.season.ID, f.show.ID)).Read(t)
	if set, ok := row["an"].(*types.AttributeValueMemberSS); !ok || len(set.Value) != 3 {
		t.Errorf("the participation is %+v", row)
	}
	f.checkGold(t, f.player, 350, 500, -50, -50, -50)
	f.Invariants(t)
}
