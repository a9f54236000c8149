package store_test

import (
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// checkRanking compares a judging's answer with the show's list.
func (f fair) checkRanking(t *testing.T, ranked []game.Contestant) {
	t.Helper()
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	if err != nil || len(entries) != len(ranked) {
		t.Fatalf("%d entries, %d ranked, %v", len(entries), len(ranked), err)
	}
	for i, e := range entries {
		c := ranked[i]
		if e.AnimalID != c.Animal || e.PlayerID != c.Player || *e.Rank != i+1 || c.Rank != i+1 || e.Score == nil && c.Score != 0 || e.Score != nil && *e.Score != c.Score {
			t.Fatalf("place %d: the list has %+v, the judging %+v", i+1, e, c)
		}
		if i > 0 && ranked[i-1].Score < c.Score {
			t.Fatalf("place %d is better than place %d", i+1, i)
		}
	}
}

func TestLargeShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, gates int }{
		{1_000, 1}, // all in one item
		{2_500, 1}, // on sheets
		{3_000, store.MaxGates},
	} {
		t.Run(fmt.Sprintf("%d entries, %d gates", c.n, c.gates), func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 0, c.gates)
			f.judgeLarge(t, c.n, c.gates)
		})
	}
}

// judgeLarge fills the show, lets the player enter as the best and as the worst, and checks every answer.
func (f fair) judgeLarge(t *testing.T, n, gates int) {
	t.Helper()
	f.fill(t, f.Show, gates, n-2)
	p := f.AddPlayer(t, storetest.Bob, game.FixedMax, 0)
	f.MustEnter(t, p, f.Show)
	ranked, err := f.Judge(t.Context(), p.ID, f.Show.ID, f.Now)
	if err != nil || len(ranked) != n {
		t.Fatal(len(ranked), err)
	}
	f.checkRanking(t, ranked)
	ranks := f.ranks(t)
	best, worst := ranks[p.Animals[0].ID], ranks[p.Animals[1].ID]
	if rank, prize, err := f.Claim(t.Context(), p.ID, f.Show.ID, f.Now); err != nil || rank != best || prize != game.Prize(f.Show.Tier, best) {
		t.Errorf("got the rank %d and %d, %v, want the rank %d", rank, prize, err, best)
	}
	score, err := f.SeasonScore(t.Context(), p.ID, f.Season.ID)
	if want := game.SeasonPoints(best) + game.SeasonPoints(worst); err != nil || score != want {
		t.Errorf("got a season score of %d, %v, want %d", score, err, want)
	}
	list, err := firstPage(t.Context(), f, game.ShowCompleted, "")
	if err != nil || len(list) != 1 || list[0].EntryCount != int64(n) {
		t.Error(list, err)
	}
}
