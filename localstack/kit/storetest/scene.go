package storetest

import (
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// Scene is a table with a season, shows, players and a time. Its methods use the table's Rival, so no fault affects
// them, and Wire does not count their cost. Methods named New... return things that are not stored yet, and methods
// named Add... also store them. Methods named Must... do what players or operators do, and fail the test on an error.
type Scene struct {
	*Table
	Now    game.Instant
	Season game.Season // the first season that was added; shows belong to it by default
	Show   game.Show   // of AddFair
	Ann    Player      // of AddFair

	fixed          bool
	shows, seasons int // the numbers of those made, for ids in a fixed scene
}

// NewScene returns a scene with an empty table and the given time. At its end, the test fails as CheckFaults does.
func NewScene(t testing.TB, now game.Instant) *Scene {
	t.Helper()
	s := &Scene{Table: newTable(t), Now: now}
	t.Cleanup(func() { s.CheckFaults(t) })
	return s
}

// KeepInvariants checks the invariants (properties of every correct table) at the end of the test. It does not check
// them if the test has written rows without the store. Such a test must call Invariants while they hold.
func (s *Scene) KeepInvariants(t testing.TB) {
	t.Cleanup(func() {
		if !s.edited.Load() {
			s.Invariants(t)
		}
	})
}

// NewFixedScene returns a scene for golden files: shows, seasons and named players are the same in every run.
func NewFixedScene(t testing.TB, now game.Instant) *Scene {
	t.Helper()
	s := NewScene(t, now)
	s.fixed = true
	return s
}

// Change returns the data of a new operator's change at the scene's time.
func (s *Scene) Change() operate.Change { return operate.NewChange("tester", "", s.Now) }

// Operator returns an operator who makes a new change at the scene's time. No fault affects the operator's requests.
func (s *Scene) Operator() operate.Operator { return s.Rival.Operator(s.Change()) }

// AddFair adds the usual data of a test: an active season, a show in it, and the player Ann. The show is
// NewShow(changes...): by default for rookies, open for another hour, with a fee of 50 gold.
func (s *Scene) AddFair(t testing.TB, changes ...func(*ShowDraft)) {
	t.Helper()
	s.AddSeason(t)
	s.Show = s.AddShow(t, changes...)
	s.Ann = s.AddPlayer(t, Ann)
}

// AtTime returns the same scene with another time.
func (s *Scene) AtTime(now game.Instant) *Scene {
	other := *s
	other.Now = now
	return &other
}

// ID returns an id that is the same in every run, for the number n. The service never makes ids of this form.
func ID(n int) game.ID { return game.ID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", n)) }

// id returns the scene's id for a number.
func (s *Scene) id(n int) game.ID {
	if s.fixed {
		return ID(n)
	}
	return game.NewID()
}
