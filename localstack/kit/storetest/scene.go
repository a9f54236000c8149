package storetest

import (
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Scene is a table with a season, shows and players, and a time. It works through the table's Rival: no fault disturbs
// it, and nothing of it is counted. New... returns things that are not stored yet, Add... stores them, and Must... does
// what players do and must succeed.
type Scene struct {
	*Table
	Now    game.Instant
	Season game.Season // the first added one; shows belong to it by default
	Show   game.Show   // of AddFair
	Ann    Player      // of AddFair

	fixed          bool
	shows, seasons int // the number of created ones, for ids in a fixed scene
}

// NewScene returns the scene of an empty table. At the end of the test, every planned fault must have been played.
func NewScene(t testing.TB, now game.Instant) *Scene {
	t.Helper()
	s := &Scene{Table: newTable(t), Now: now}
	t.Cleanup(func() { s.CheckFaults(t) })
	return s
}

// KeepInvariants checks the invariants at the end of the test, unless the test has written rows without the store: then
// it checks them itself while they hold.
func (s *Scene) KeepInvariants(t testing.TB) {
	t.Cleanup(func() {
		if !s.edited.Load() {
			s.Invariants(t)
		}
	})
}

// NewFixedScene returns a scene whose shows, seasons and named players have the same ids and traits in every run, for
// golden files.
func NewFixedScene(t testing.TB, now game.Instant) *Scene {
	t.Helper()
	s := NewScene(t, now)
	s.fixed = true
	return s
}

// Change is a new change of an operator, now.
func (s *Scene) Change() store.Change { return store.NewChange("tester", "", s.Now) }

// Operator returns an operator who makes a new change now, without faults.
func (s *Scene) Operator() store.Operator { return s.Rival.Operator(s.Change()) }

// AddFair makes the usual beginning of a test: an active season, a show in it, and Ann. The show is open for another
// hour, for rookies, and costs 50 gold, unless the changes say otherwise.
func (s *Scene) AddFair(t testing.TB, changes ...func(*ShowDraft)) {
	t.Helper()
	s.AddSeason(t)
	s.Show = s.AddShow(t, changes...)
	s.Ann = s.AddPlayer(t, Ann)
}

// AtTime returns the same scene at another time.
func (s *Scene) AtTime(now game.Instant) *Scene {
	other := *s
	other.Now = now
	return &other
}

// ID returns an id that is the same in every run. Its form differs from the ids that the service makes.
func ID(n int) game.ID { return game.ID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", n)) }

// id returns the scene's id for a number.
func (s *Scene) id(n int) game.ID {
	if s.fixed {
		return ID(n)
	}
	return game.NewID()
}
