package store

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
)

// CreateSeason writes a new season, and adds it to the active seasons if it is active. Other seasons stay as they are.
// It also writes the layout's number, since a table is used only once it has a season. It returns ErrExists if the
// season exists, ErrOtherLayout if the table has another layout, and the errors of game.Season.Validate.
func (o Operator) CreateSeason(ctx context.Context, season game.Season) error {
	if err := season.Validate(); err != nil {
		return err
	}
	o.same = making(season)
	return o.make(ctx, "create season", subjectSeason(season.ID), func(_ context.Context, t *transaction) (before, after any, err error) {
		sayLayout(t)
		t.Create(newSeasonItem(seasonKey(season.ID), season), ErrExists)
		if season.IsActive {
			t.Create(newSeasonItem(activeSeasonKey(season), season), ErrExists)
		}
		return nil, season, nil
	})
}

func subjectSeason(id game.ID) string { return "season " + string(id) }

// SetSeasonActive adds a season to the active seasons, or removes it from them. Other active seasons stay active. It
// returns ErrUnknownSeason if there is no such season.
func (o Operator) SetSeasonActive(ctx context.Context, id game.ID, active bool) error {
	action := "activate season"
	if !active {
		action = "deactivate season"
	}
	return o.make(ctx, action, subjectSeason(id), func(ctx context.Context, t *transaction) (before, after any, err error) {
		season, err := o.desk.Season(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if season == nil {
			return nil, nil, ErrUnknownSeason
		}
		changed := *season // a season's dates, and so its key among the active ones, never change
		changed.IsActive = active
		t.Put(newSeasonItem(seasonKey(id), changed), "ac = :seen", attributes{":seen": boolean(season.IsActive)}, errStale)
		if active {
			t.Put(newSeasonItem(activeSeasonKey(changed), changed), "", nil, nil)
		} else {
			t.Remove(activeSeasonKey(changed))
		}
		return season, changed, nil
	})
}
