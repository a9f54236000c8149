package store_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// starting makes a season begin at an instant and last for a day.
func starting(at game.Instant, active bool) func(*game.Season) {
	return func(s *game.Season) { s.StartDate, s.EndDate, s.IsActive = at, at.Add(24*time.Hour), active }
}

func checkActive(t *testing.T, s *storetest.Scene, want *game.Season) {
	t.Helper()
	got, err := s.ActiveSeason(t.Context())
	assert.NoError(t, err)
	storetest.Equal(t, "active season", got, want)
}

func TestTheEarliestActiveSeasonCounts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	checkActive(t, s, nil)
	create := func(season game.Season) {
		t.Helper()
		checkError(t, s.Desk.Operator(s.Change()).CreateSeason(t.Context(), season), nil)
	}
	create(s.NewSeason(starting(100, false)))
	checkActive(t, s, nil)
	var seasons []game.Season
	for _, change := range []func(*game.Season){
		starting(5_000, true), starting(5_000, true), starting(4_999, true), starting(5_001, true), starting(1, false),
	} {
		seasons = append(seasons, s.NewSeason(change))
	}
	if seasons[0].ID > seasons[1].ID {
		seasons[0], seasons[1] = seasons[1], seasons[0]
	}
	for _, i := range []int{3, 1} {
		create(seasons[i])
	}
	checkActive(t, s, &seasons[1])
	create(seasons[0])
	checkActive(t, s, &seasons[0])
	create(seasons[2])
	checkActive(t, s, &seasons[2])
	create(seasons[4])
	checkActive(t, s, &seasons[2])
	for _, c := range []struct{ deactivate, active int }{{2, 0}, {0, 1}, {1, 3}} {
		checkError(t, s.Desk.Operator(s.Change()).SetSeasonActive(t.Context(), seasons[c.deactivate].ID, false), nil)
		got, err := s.Store.Season(t.Context(), seasons[c.deactivate].ID)
		want := seasons[c.deactivate]
		want.IsActive = false
		require.NoError(t, err)
		storetest.Equal(t, "season", *got, want)
		checkActive(t, s, &seasons[c.active])
	}
	checkError(t, s.Desk.Operator(s.Change()).SetSeasonActive(t.Context(), seasons[3].ID, false), nil)
	checkActive(t, s, nil)
	for range 2 { // a repetition changes nothing
		checkError(t, s.Desk.Operator(s.Change()).SetSeasonActive(t.Context(), seasons[4].ID, true), nil)
		seasons[4].IsActive = true
		checkActive(t, s, &seasons[4])
	}
	all, err := s.Seasons(t.Context())
	assert.True(t, err == nil && len(all) == 6 && slices.IsSortedFunc(all, func(a, b game.Season) int { return int(a.StartDate - b.StartDate) }),
		"%v, %v", all, err)
}

// Seasons with the same start are in the order of their ids. A player's list has the latest 50.
func TestSeasonsBeginAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	var want []game.Season
	for start := range game.Instant(4) {
		for range 13 {
			want = append(want, s.AddSeason(t, starting(start+1, false)))
		}
	}
	slices.SortFunc(want, func(a, b game.Season) int {
		return cmp.Or(int(a.StartDate-b.StartDate), strings.Compare(string(a.ID), string(b.ID)))
	})
	storetest.Equal(t, "seasons", must(s.Seasons(t.Context()))(t), want)
	player := s.AddPlayer(t, storetest.Ann)
	latest := slices.Concat(want[39:], want[26:39], want[13:26], want[:11])
	storetest.Equal(t, "the latest seasons", must(s.LatestSeasons(t.Context(), player.ID))(t), latest)
	s.DeleteUser(t, player.ID)
	checkError(t, errOf(s.LatestSeasons(t.Context(), player.ID)), game.ErrUnauthorized)
}

func TestSeasonIsDeletedWhileItIsActivated(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	season := s.AddSeason(t, starting(5, false))
	s.Meanwhile(func() { s.At("SEASON", "SEASON#"+string(season.ID)).Delete(t) })
	checkError(t, s.Desk.Operator(s.Change()).SetSeasonActive(t.Context(), season.ID, true), operate.ErrUnknownSeason)
	storetest.Equal(t, "the layout, the season's record and the head", len(s.Scan(t)), 3)
}

func (f fair) checkScore(t *testing.T, p storetest.Player, want int64) {
	t.Helper()
	got, err := f.SeasonScore(t.Context(), p.ID, f.Season.ID)
	assert.NoError(t, err)
	storetest.Equal(t, "season score", got, want)
}

func TestSeasonScoreCountsItsOwnCompletedShows(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	past := f.AddSeason(t, starting(f.Now-10, false))
	elsewhere := f.AddShow(t, storetest.Fee(0), func(d *storetest.ShowDraft) { d.SeasonID = past.ID })
	open := f.AddShow(t, storetest.Fee(0))
	for _, show := range []game.Show{elsewhere, open, f.Show} {
		f.MustEnter(t, f.Ann, show, 0)
	}
	f.MustJudge(t, f.Ann, elsewhere)
	f.checkScore(t, f.Ann, 0)
	f.MustJudge(t, f.Ann, f.Show)
	f.checkScore(t, f.Ann, 100) // right away
	f.MustEnter(t, f.Ann, open, 1)
	f.checkScore(t, f.Ann, 100)
	f.MustJudge(t, f.Ann, open)
	f.checkScore(t, f.Ann, 260)
	f.MustClaim(t, f.Ann, f.Show)
	f.checkScore(t, f.Ann, 260) // claiming changes nothing
	if score, err := f.SeasonScore(t.Context(), f.Ann.ID, past.ID); err != nil || score != 100 {
		t.Error(score, err)
	}
	if score, err := f.SeasonScore(t.Context(), f.Ann.ID, game.NewID()); err != nil || score != 0 {
		t.Error(score, err)
	}
}
