package demo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

var now = game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))

// ledger keeps what it is told and fails when it has enough.
type ledger struct {
	seasons []game.Season
	shows   []game.Show
	enough  int // shows
}

var errEnough = errors.New("enough")

func (l *ledger) CreateSeason(_ context.Context, s game.Season) error {
	l.seasons = append(l.seasons, s)
	return nil
}

func (l *ledger) CreateShow(_ context.Context, s game.Show, _ int) error {
	if len(l.shows) == l.enough {
		return errEnough
	}
	l.shows = append(l.shows, s)
	return nil
}

func TestSeed(t *testing.T) {
	var l = ledger{enough: 100}
	count, err := Seed(t.Context(), func() Operator { return &l }, now)
	if err != nil || count != len(l.shows) || count < 12 {
		t.Fatalf("Seed = %d, %v with %d shows", count, err, len(l.shows))
	}
	if len(l.seasons) != 1 || !l.seasons[0].IsActive || l.seasons[0].StartDate > now || l.seasons[0].EndDate <= now {
		t.Errorf("the seasons are %+v, not one that is active now", l.seasons)
	}
	ids, names, seen := map[game.ID]bool{}, map[string]bool{}, map[string]bool{}
	tours := 0 // how often a new player can play the whole loop, a week later
	for _, s := range l.shows {
		ids[s.ID], names[s.Name] = true, true
		if _, ok := game.ParseID(string(s.ID)); !ok || s.SeasonID != l.seasons[0].ID || !s.AcceptsEntriesAt(now.Add(time.Minute)) || s.JudgedAt != nil {
			t.Errorf("nobody can enter %+v a minute later", s)
		}
		if s.Tier == game.TierRookie && s.EntryFee <= game.StartingGold && s.AcceptsEntriesAt(now.Add(7*day)) {
			tours++
		}
		closes := s.EntryClosesAt.Time().Sub(now.Time())
		for what, is := range map[string]bool{
			"tier " + s.Tier:       true,
			"free":                 s.Free(),
			"affordable fee":       !s.Free() && s.EntryFee <= game.StartingGold,
			"unaffordable fee":     s.EntryFee > game.StartingGold,
			"no prizes":            !game.HasPrizes(s.Tier),
			"closes in minutes":    closes < time.Hour,
			"closes in hours":      closes > time.Hour && closes < day,
			"closes in days":       closes > day,
			"free rookie for days": s.Free() && s.Tier == game.TierRookie && closes > day,
		} {
			seen[what] = seen[what] || is
		}
	}
	if tours < 3 {
		t.Errorf("a week later %d rookie shows are open", tours)
	}
	if len(ids) != count || len(names) != count {
		t.Errorf("%d shows have %d ids and %d names", count, len(ids), len(names))
	}
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		if !seen["tier "+tier] {
			t.Errorf("no show of tier %s", tier)
		}
	}
	for what, is := range seen {
		if !is {
			t.Errorf("no show with: %s", what)
		}
	}
}

func TestSeed_stopsAtAFailure(t *testing.T) {
	full := ledger{enough: 3}
	if _, err := Seed(t.Context(), func() Operator { return &full }, now); !errors.Is(err, errEnough) {
		t.Errorf("the error is %v", err)
	}
}
