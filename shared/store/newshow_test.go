package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestNewShowIsListedAndOpen(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 2, store.MaxGates} {
		f := newFair(t, game.TierPro, 75, gates)
		show, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil || entries == nil || len(entries) != 0 {
			t.Error(entries, err)
		}
		checkEqual(t, "show", show, f.show)
		f.checkList(t, game.ShowOpen, game.TierPro, f.show.Name)
		f.Invariants(t)
	}
}

func TestNewShowNeedsASeason(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	rows := len(f.Scan(t))
	checkError(t, f.CreateShow(t.Context(), storetest.NewShow(game.NewID(), f.now, "pro", 0), 2), store.ErrUnknownSeason)
	checkEqual(t, "rows", len(f.Scan(t)), rows)
}

func TestGatesHaveLimits(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	rows := len(f.Scan(t))
	for _, gates := range []int{-1, 0, store.MaxGates + 1, 1000} {
		if err := f.CreateShow(t.Context(), storetest.NewShow(f.season.ID, f.now, "pro", 0), gates); err == nil {
			t.Errorf("created a show with %d gates", gates)
		}
	}
	checkEqual(t, "rows", len(f.Scan(t)), rows)
}

// Whichever of a show's rows is there already, nothing of it is overwritten.
func TestNewShowOverwritesNothing(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]func(show game.Show) (pk, sk string){
		"show":            func(show game.Show) (pk, sk string) { return store.ShowKey(show.ID) },
		"first gate":      func(show game.Show) (pk, sk string) { return store.GateKey(show.ID, 0) },
		"last gate":       func(show game.Show) (pk, sk string) { return store.GateKey(show.ID, 2) },
		"open board":      func(show game.Show) (pk, sk string) { return store.BoardKey(game.ShowOpen, "", show) },
		"open pro board":  func(show game.Show) (pk, sk string) { return store.BoardKey(game.ShowOpen, "pro", show) },
		"whole board":     func(show game.Show) (pk, sk string) { return store.BoardKey("", "", show) },
		"whole pro board": func(show game.Show) (pk, sk string) { return store.BoardKey("", "pro", show) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := bareFair(t)
			show := storetest.NewShow(f.season.ID, f.now, "pro", 0)
			there := f.At(row(show))
			f.before(func() { there.Edit(t, "SET mine = :yes", map[string]any{":yes": true}) })
			rows := len(f.Scan(t))
			checkError(t, f.CreateShow(t.Context(), show, 3), store.ErrExists)
			checkFaults(t, f.Table)
			if there.Read(t)["mine"] == nil {
				t.Error("the row was overwritten")
			}
			checkEqual(t, "rows", len(f.Scan(t)), rows+1)
		})
	}
}

func TestOneOfTwoNewShowsOfAnID(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	first, second := storetest.NewShow(f.season.ID, f.now, "pro", 0), storetest.NewShow(f.season.ID, f.now+1, "rookie", 9)
	second.ID = first.ID
	f.before(func() { checkError(t, f.Rival.CreateShow(t.Context(), first, 2), nil) })
	checkError(t, f.CreateShow(t.Context(), second, 5), store.ErrExists)
	checkFaults(t, f.Table)
	f.Invariants(t)
}

func TestNewSeasonOverwritesNothing(t *testing.T) {
	t.Parallel()
	table := storetest.New(t)
	first := newSeason(100, false)
	table.Wire.Next("TransactWriteItems", storetest.Before(func() { checkError(t, table.Rival.CreateSeason(t.Context(), first), nil) }))
	second := newSeason(200, true)
	second.ID = first.ID
	checkError(t, table.CreateSeason(t.Context(), second), store.ErrExists)
	checkFaults(t, table)
	checkActive(t, table, nil)
	seasons, err := table.Seasons(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "seasons", seasons, []game.Season{first})
}

func TestChangesOfWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	rows := len(f.Scan(t))
	calf := game.StageCalf
	_, err := f.ChangeAnimal(t.Context(), f.player.ID, game.NewID(), store.AnimalChange{Stage: &calf})
	checkError(t, err, store.ErrUnknownAnimal)
	_, err = f.ChangeAnimal(t.Context(), game.NewID(), f.player.Animals[0].ID, store.AnimalChange{Stage: &calf})
	checkError(t, err, store.ErrUnknownAnimal)
	if _, err := f.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[0].ID, store.AnimalChange{}); err == nil {
		t.Error("changed nothing without an error")
	}
	checkEqual(t, "rows", len(f.Scan(t)), rows)
	f.Invariants(t)
}

func TestAnimalChanges(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	want := f.player.Animals[0]
	stage, status, condition, died := "elder", "resting", game.Fixed(12_34), f.now
	for _, c := range []struct {
		change store.AnimalChange
		expect func()
	}{
		{store.AnimalChange{Stage: &stage}, func() { want.Stage = stage }},
		{store.AnimalChange{Status: &status, Condition: &condition}, func() { want.Status, want.Condition = status, condition }},
		{store.AnimalChange{DiedAt: &died, DropPhenotype: true}, func() { want.DiedAt, want.Phenotype = &died, nil }},
		{store.AnimalChange{Alive: true}, func() { want.DiedAt = nil }},
	} {
		c.expect()
		got, err := f.ChangeAnimal(t.Context(), f.player.ID, want.ID, c.change)
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "animal", got, &want)
	}
}
