package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// The standings are the season scores of all players, from best to last.
func TestSeasonStandings(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	bob, cid := f.AddPlayer(t, storetest.Bob, 60_00), f.AddPlayer(t, storetest.Cid, 70_00, storetest.NoPhenotype)
	second, open := f.AddShow(t, storetest.Fee(0)), f.AddShow(t, storetest.Fee(0))
	other := f.AddSeason(t)
	elsewhere := f.AddShow(t, storetest.Fee(0), func(d *storetest.ShowDraft) { d.SeasonID = other.ID })
	f.MustEnter(t, bob, f.Show)
	f.MustEnter(t, cid, f.Show)
	f.judged(t, 0, 1)
	f.MustEnter(t, cid, second)
	f.MustEnter(t, bob, second)
	f.MustJudge(t, bob, second)
	f.MustEnter(t, bob, open)
	f.MustEnter(t, f.Ann, elsewhere)
	f.MustJudge(t, f.Ann, elsewhere)
	f.DeleteUser(t, bob.ID)

	standings := must(f.SeasonStandings(t.Context(), f.Season.ID, 0))(t)
	storetest.Equal(t, "standings", standings, []game.Standing{
		{Rank: 1, PlayerID: cid.ID, Username: cid.Username, Points: 60 + 5 + 100 + 5},
		{Rank: 2, PlayerID: f.Ann.ID, Username: f.Ann.Username, Points: 100 + 15},
		{Rank: 3, PlayerID: bob.ID, Username: game.DeletedPlayer, Points: 30 + 60},
	})
	for _, s := range standings {
		score, err := f.SeasonScore(t.Context(), s.PlayerID, f.Season.ID)
		assert.True(t, err == nil && score == s.Points,
			"the score of %s is %d, %v, and the standings have %d", s.Username, score, err, s.Points)
	}
	top := must(f.SeasonStandings(t.Context(), f.Season.ID, 2))(t)
	storetest.Equal(t, "top", top, standings[:2])
	all := must(f.SeasonStandings(t.Context(), f.Season.ID, 100))(t)
	storetest.Equal(t, "more than there are", all, standings)
	none, err := f.SeasonStandings(t.Context(), game.NewID(), 0)
	assert.True(t, err == nil && none != nil && len(none) == 0, "%v, %v", none, err)
}

// Results on several sheets count like those on one.
func TestSeasonStandingsOfALargeShow(t *testing.T) {
	t.Parallel()
	f := crowded(t)
	f.MustJudge(t, f.Ann, f.Show)
	standings, err := f.SeasonStandings(t.Context(), f.Season.ID, 0)
	assert.True(t, err == nil && len(standings) == 401 && standings[0].Points == 100 && standings[5].Points == 5 && standings[5].Rank == 6 && standings[400].Rank == 6,
		"%v, %v", len(standings), err)
}

// SeasonStandings waits for a judging that is not fully visible yet.
func TestSeasonStandingsWait(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(ofBoards))
	f.then(t, "GetItem", 2, held.Take(ofAll))
	standings, err := f.SeasonStandings(t.Context(), f.Season.ID, 0)
	assert.True(t, err == nil && len(standings) == 1 && standings[0].Points == 100, "%v, %v", standings, err)
}
