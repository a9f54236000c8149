package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

func TestShowsAndSeasonsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	create := func(gates int, changes ...func(*storetest.ShowDraft)) error {
		return f.changes().CreateShow(t.Context(), f.NewShow(changes...), gates)
	}
	f.Unchanged(t, func() {
		checkError(t, create(2, func(d *storetest.ShowDraft) { d.SeasonID = game.NewID() }), operate.ErrUnknownSeason)
		assert.Error(t, create(2, storetest.Fee(-1)), "created a show whose fee is below 0")
		for _, gates := range []int{-1, 0, records.MaxGates + 1, 1000} {
			assert.Error(t, create(gates), "created a show with %d gates", gates)
		}
		endless := f.NewSeason(func(s *game.Season) { s.EndDate = s.StartDate })
		assert.Error(t, f.changes().CreateSeason(t.Context(), endless), "created a season that ends when it starts")
		checkError(t, errOf(f.ShowRecord(t.Context(), game.NewID())), store.ErrUnknownShow)
	})
}

// CreateShow overwrites nothing, whichever of the show's rows exists already.
func TestNewShowOverwritesNothing(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]func(show game.Show) (pk, sk string){
		"show":            func(show game.Show) (pk, sk string) { return store.ShowKey(show.ID) },
		"first gate":      func(show game.Show) (pk, sk string) { return store.GateKey(show, 0) },
		"last gate":       func(show game.Show) (pk, sk string) { return store.GateKey(show, 2) },
		"open board":      func(show game.Show) (pk, sk string) { return store.BoardKey(game.ShowOpen, "", show) },
		"open pro board":  func(show game.Show) (pk, sk string) { return store.BoardKey(game.ShowOpen, "pro", show) },
		"whole board":     func(show game.Show) (pk, sk string) { return store.BoardKey("", "", show) },
		"whole pro board": func(show game.Show) (pk, sk string) { return store.BoardKey("", "pro", show) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := bareFair(t)
			show := f.NewShow(storetest.Tier("pro"))
			there := f.At(row(show))
			f.Meanwhile(func() { there.Edit(t, "SET mine = :yes", map[string]any{":yes": true}) })
			rows := len(f.Scan(t))
			checkError(t, f.changes().CreateShow(t.Context(), show, 3), operate.ErrExists)
			assert.NotNil(t, there.Read(t)["mine"], "the row was overwritten")
			storetest.Equal(t, "rows", len(f.Scan(t)), rows+1)
		})
	}
}

func TestNewSeasonOverwritesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	first, second := s.NewSeason(starting(100, false)), s.NewSeason(starting(200, true))
	second.ID = first.ID
	s.Meanwhile(func() { checkError(t, s.Operator().CreateSeason(t.Context(), first), nil) })
	checkError(t, s.Desk.Operator(s.Change()).CreateSeason(t.Context(), second), operate.ErrExists)
	checkActive(t, s, nil)
	seasons := must(s.Seasons(t.Context()))(t)
	storetest.Equal(t, "seasons", seasons, []game.Season{first})

	third := s.NewSeason(starting(300, true))
	active := s.At("SEASON", "ACTIVE#"+third.StartDate.String()+"#"+string(third.ID))
	active.Edit(t, "SET mine = :yes", map[string]any{":yes": true})
	s.Unchanged(t, func() { checkError(t, s.Desk.Operator(s.Change()).CreateSeason(t.Context(), third), operate.ErrExists) })
}
