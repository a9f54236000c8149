package operate

import (
	"context"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// SeasonStandings returns the first top players of a season (0: all players) by their points. A player's points are
// those of SeasonScore. For operators: it reads the board rows of all completed shows, all results of the season at 1
// RCU or more for each show, and 1 RCU for each returned player's name.
func (d Desk) SeasonStandings(ctx context.Context, season game.ID, top int) ([]game.Standing, error) {
	shows, err := d.AllShows(ctx, game.ShowCompleted)
	if err != nil {
		return nil, err
	}
	points := map[game.ID]int64{}
	for _, show := range shows {
		if show.SeasonID != season {
			continue
		}
		item, err := d.completedShow(ctx, show.ID)
		if err != nil {
			return nil, err
		}
		if err := d.addPoints(ctx, item, points); err != nil {
			return nil, err
		}
	}
	standings := game.RankSeason(points)
	if top > 0 && top < len(standings) {
		standings = standings[:top]
	}
	return standings, d.addUsernames(ctx, standings)
}

// completedShow reads a show that a board lists as completed. If the show's item is not visible as completed yet, it
// reads it up to twice more, 0.3 s apart, and then returns ErrNotVisible.
func (d Desk) completedShow(ctx context.Context, id game.ID) (item *records.ShowItem, err error) {
	completed, err := table.Settled(ctx, 1+store.EntryRereads, func() (bool, error) {
		item, err = d.ShowItem(ctx, id)
		return item != nil && item.Status == game.ShowCompleted, err
	})
	if err == nil && !completed {
		return nil, store.ErrNotVisible
	}
	return item, err
}

func (d Desk) addPoints(ctx context.Context, show *records.ShowItem, points map[game.ID]int64) error {
	sheets, err := d.Sheets(ctx, show.Verdict().ResultKeys(show.Sheets, 0))
	if err != nil {
		return err
	}
	results, err := records.ByPlayer(show.ID, slices.AppendSeq([]records.Sheet{show.Results}, maps.Values(sheets)))
	for player, theirs := range results {
		for _, p := range theirs {
			points[player] += game.SeasonPoints(p.Rank())
		}
	}
	return err
}

// addUsernames sets the players' current usernames, or game.DeletedPlayer.
func (d Desk) addUsernames(ctx context.Context, standings []game.Standing) error {
	keys := make([]table.Key, len(standings))
	for i := range standings {
		keys[i] = records.UserKey(standings[i].PlayerID)
	}
	found, err := d.table.BatchGet(ctx, records.ProjectNames, keys...)
	if err != nil {
		return err
	}
	for i, k := range keys {
		user, err := table.In[records.UserItem](found, k)
		switch {
		case err != nil:
			return err
		case user == nil || user.Status == game.UserDeleted:
			standings[i].Username = game.DeletedPlayer
		default:
			standings[i].Username = user.Username
		}
	}
	return nil
}
