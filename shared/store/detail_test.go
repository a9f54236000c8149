package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A missing show has no detail. For a wrong id, nothing is read.
func TestUnknownShows(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for id, requests := range map[game.ID]int{game.NewID(): 1, "": 0} {
		s.Wire.Reset()
		_, entries, err := s.ShowWithEntries(t.Context(), id)
		if entries != nil || err != game.ErrShowUnknown {
			t.Errorf("%q: got %v, %v", id, entries, err)
		}
		storetest.Equal(t, "requests", s.Wire.Cost().Requests, requests)
	}
}
