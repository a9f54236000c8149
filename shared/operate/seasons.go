package operate

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// CreateSeason writes a new season, and adds it to the active seasons if it is active. Other seasons stay as they are.
// It also writes the layout's number, since a table is used only once it has a season. It returns ErrExists if the
// season exists, ErrOtherLayout if the table has another layout, and the errors of game.Season.Validate.
func (o Operator) CreateSeason(ctx context.Context, season game.Season) error {
	if err := season.Validate(); err != nil {
		return err
	}
	o.same = making(season)
	return o.make(ctx, "create season", subjectSeason(season.ID), func(_ context.Context, t *table.Transaction) (before, after any, err error) {
		store.SayLayout(t)
		t.Create(records.NewSeasonItem(records.SeasonKey(season.ID), season), ErrExists)
		if season.IsActive {
			t.Create(records.NewSeasonItem(records.ActiveSeasonKey(season), season), ErrExists)
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
	return o.make(ctx, action, subjectSeason(id), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		season, err := o.desk.Season(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if season == nil {
			return nil, nil, ErrUnknownSeason
		}
		changed := *season // a season's dates, and so its key among the active ones, never change
		changed.IsActive = active
		t.Put(records.NewSeasonItem(records.SeasonKey(id), changed), records.ActiveAsRead(season.IsActive), table.ErrStale)
		if active {
			t.Replace(records.NewSeasonItem(records.ActiveSeasonKey(changed), changed))
		} else {
			t.Remove(records.ActiveSeasonKey(changed))
		}
		return season, changed, nil
	})
}

// standingsState is what the record of a recount has of the standings before and after.
type standingsState struct {
	Players int          `json:"players"`
	AsOf    game.Instant `json:"asOf,omitempty"`
}

// RecountStandings removes the live snapshot of a season's standings. The next run of their function computes them anew,
// from the results of all completed shows; until then the season has no standings. It mends standings that differ from
// the results, as after a restore. It returns ErrUnknownSeason if there is no such season.
func (o Operator) RecountStandings(ctx context.Context, id game.ID) error {
	return o.make(ctx, "recount standings", subjectSeason(id), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		head, err := table.Get[records.StandingsItem](ctx, o.desk.table, records.StandingsKey(id))
		if err != nil {
			return nil, nil, err
		}
		if head == nil {
			head = &records.StandingsItem{Key: records.StandingsKey(id)}
		}
		t.Check(records.SeasonKey(id), table.Present, ErrUnknownSeason)
		t.Update(head.Key, head.Unfolded(o.change.At), head.AsRead(), table.ErrStale)
		return standingsState{head.Players, head.AsOf}, standingsState{}, nil
	})
}

// UnclaimedPrizes returns how many prizes of a season's completed shows are not claimed, and their gold. For operators:
// it reads the board rows of all completed shows, and for each of the season the show and a page, about 5 RCU.
func (d Desk) UnclaimedPrizes(ctx context.Context, season game.ID) (prizes int, gold int64, err error) {
	shows, err := d.AllShows(ctx, game.ShowCompleted)
	if err != nil {
		return 0, 0, err
	}
	for _, show := range shows {
		if show.SeasonID != season || show.EntryCount == 0 || !game.HasPrizes(show.Tier) {
			continue
		}
		item, err := d.CompletedShow(ctx, show.ID)
		if err != nil {
			return 0, 0, err
		}
		first, err := d.Places(ctx, item, 0, min(game.PrizeRanks, int(item.Count)))
		if err != nil {
			return 0, 0, err
		}
		won := map[game.ID]bool{} // a player's best entry wins
		for _, e := range first {
			if e.Rank != nil && !won[e.PlayerID] && !e.RewardClaimed {
				prizes, gold = prizes+1, gold+game.Prize(show.Tier, *e.Rank)
			}
			won[e.PlayerID] = true
		}
	}
	return prizes, gold, nil
}
