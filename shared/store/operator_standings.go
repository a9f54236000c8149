package store

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
)

// SeasonStandings returns the first so many players of a season (0: all of them) by the points of their entries in its
// completed shows, which it adds up as SeasonScore does. For operators: it reads the rows of all completed shows, all
// results of the season, at least 2 RCU for each show, and 1 RCU for the name of each player that it returns.
func (s *Store) SeasonStandings(ctx context.Context, season game.ID, top int) ([]game.Standing, error) {
	shows, err := s.AllShows(ctx, game.ShowCompleted)
	if err != nil {
		return nil, err
	}
	points := map[game.ID]int64{}
	for _, show := range shows {
		if show.SeasonID != season {
			continue
		}
		if err := s.addPoints(ctx, show.ID, points); err != nil {
			return nil, err
		}
	}
	standings := game.RankSeason(points)
	if top > 0 && top < len(standings) {
		standings = standings[:top]
	}
	return standings, s.addUsernames(ctx, standings)
}

// addPoints adds what the results of a completed show are worth.
func (s *Store) addPoints(ctx context.Context, show game.ID, points map[game.ID]int64) error {
	firsts, err := s.sheets(ctx, []key{resultsKey(show)})
	if err != nil {
		return err
	}
	results, err := s.allResults(ctx, show, firsts[resultsKey(show)].Sheets)
	for player, theirs := range results {
		for i := range theirs.len() {
			points[player] += game.SeasonPoints(theirs.at(i).rank)
		}
	}
	return err
}

// addUsernames says who the players are by now.
func (s *Store) addUsernames(ctx context.Context, standings []game.Standing) error {
	keys := make([]key, len(standings))
	for i := range standings {
		keys[i] = userKey(standings[i].PlayerID)
	}
	found, err := s.batchGet(ctx, "PK, SK, un, st", keys...)
	if err != nil {
		return err
	}
	for i, k := range keys {
		user, err := in[userItem](found, k)
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
