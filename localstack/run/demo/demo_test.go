package demo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// ledger keeps the seasons and shows that it is told, and fails when it has enough.
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

// The demo has something for every rule of entering, and for the whole loop, also a week later.
func TestSeed(t *testing.T) {
	now := game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))
	l := ledger{enough: 100}
	if count, err := Seed(t.Context(), func() Operator { return &l }, now); err != nil || count != len(l.shows) || count < 12 {
		t.Fatalf("Seed = %d, %v with %d shows", count, err, len(l.shows))
	}
	if len(l.seasons) != 1 || !l.seasons[0].IsActive || l.seasons[0].StartDate > now || l.seasons[0].EndDate <= now {
		t.Errorf("the seasons are %+v, not one that is active now", l.seasons)
	}
	ids, names, has := map[game.ID]bool{}, map[string]bool{}, map[string]int{}
	for _, s := range l.shows {
		ids[s.ID], names[s.Name] = true, true
		if _, ok := game.ParseID(string(s.ID)); !ok || s.SeasonID != l.seasons[0].ID || !s.AcceptsEntriesAt(now.Add(time.Minute)) || s.JudgedAt != nil {
			t.Errorf("no entry is accepted a minute later in %+v", s)
		}
		closes := s.EntryClosesAt.Time().Sub(now.Time())
		for what, is := range map[string]bool{
			game.TierRookie:        s.Tier == game.TierRookie,
			game.TierPro:           s.Tier == game.TierPro,
			game.TierElite:         s.Tier == game.TierElite,
			"no prizes":            !game.HasPrizes(s.Tier),
			"affordable fee":       !s.Free() && s.EntryFee <= game.StartingGold,
			"unaffordable fee":     s.EntryFee > game.StartingGold,
			"closes in minutes":    closes < time.Hour,
			"closes in hours":      closes > time.Hour && closes < day,
			"free rookie for days": s.Free() && s.Tier == game.TierRookie && closes > day,
			"rookie after a week":  s.EntryFee <= game.StartingGold && s.Tier == game.TierRookie && closes > 7*day,
			"closes in a few days": closes > day && closes < 4*day,
		} {
			if is {
				has[what]++
			} else {
				has[what] += 0
			}
		}
	}
	if len(ids) != len(l.shows) || len(names) != len(l.shows) || has["rookie after a week"] < 3 {
		t.Errorf("%d shows have %d ids and %d names: %v", len(l.shows), len(ids), len(names), has)
	}
	for what, count := range has {
		if count == 0 {
			t.Errorf("no show with: %s", what)
		}
	}
	full := ledger{enough: 3}
	if _, err := Seed(t.Context(), func() Operator { return &full }, now); !errors.Is(err, errEnough) {
		t.Errorf("the error is %v", err)
	}
}
