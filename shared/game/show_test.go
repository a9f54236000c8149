package game

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
)

func TestShowAcceptsEntriesUntilItsClosing(t *testing.T) {
	closing := InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))
	for _, test := range []struct {
		status ShowStatus
		now    Instant
		want   bool
	}{
		{ShowOpen, closing - 1, true}, {ShowOpen, closing, false}, {ShowOpen, closing + 1, false},
		{ShowCompleted, closing - 1, false}, {"draft", closing - 1, false},
	} {
		show := Show{Status: test.status, EntryClosesAt: closing}
		got := show.AcceptsEntriesAt(test.now)
		assert.Equal(t, test.want, got, "%s at %v: %t", test.status, test.now, got)
	}
}

func TestShowFree(t *testing.T) {
	for fee, want := range map[int64]bool{-5: true, 0: true, 1: false} {
		got := (Show{EntryFee: fee}).Free()
		assert.Equal(t, want, got, "fee %d is free: %t", fee, got)
	}
}

func TestPrize(t *testing.T) {
	table := map[string][]int64{ // by rank, from 0, unranked, to 4
		"rookie": {0, 100, 60, 30, 0},
		"pro":    {0, 400, 200, 100, 0},
		"elite":  {0, 1500, 750, 300, 0},
		"Rookie": {0, 0, 0, 0, 0},
		"master": {0, 0, 0, 0, 0},
		"":       {0, 0, 0, 0, 0},
	}
	for tier, prizes := range table {
		for rank, want := range prizes {
			assert.Equal(t, want, Prize(tier, rank), "%q, rank %d", tier, rank)
		}
		got, want := HasPrizes(tier), prizes[1] > 0
		assert.Equal(t, want, got, "%q has prizes", tier)
		assert.True(t, Prize(tier, -1) == 0 && Prize(tier, 50_000) == 0, "%q pays for ranks that do not exist", tier)
	}
}

func TestSeasonPoints(t *testing.T) {
	for rank, want := range map[int]int64{0: 5, 1: 100, 2: 60, 3: 30, 4: 15, 5: 10, 6: 5, 50_000: 5} {
		assert.Equal(t, want, SeasonPoints(rank), "rank %d", rank)
	}
}

func TestRankSeason(t *testing.T) {
	got := RankSeason(map[ID]int64{"d": 5, "b": 90, "a": 90, "e": 0, "c": 100})
	want := []Standing{
		{Rank: 1, PlayerID: "c", Score: 100}, {Rank: 2, PlayerID: "a", Score: 90}, {Rank: 2, PlayerID: "b", Score: 90},
		{Rank: 4, PlayerID: "d", Score: 5}, {Rank: 5, PlayerID: "e"},
	}
	assert.Empty(t, cmp.Diff(want, got))
	got = RankSeason(map[ID]int64{"b": 60, "a": 60}) // they share the first rank, too
	want = []Standing{{Rank: 1, PlayerID: "a", Score: 60}, {Rank: 1, PlayerID: "b", Score: 60}}
	assert.Empty(t, cmp.Diff(want, got))
	none := RankSeason(nil)
	assert.True(t, none != nil && len(none) == 0, none)
}

// Small standings follow each run, and those of 250,000 players within an hour.
func TestStandingsInterval(t *testing.T) {
	for players, want := range map[int]time.Duration{
		0: 0, 10_000: 0, 10_001: 300030 * time.Millisecond, 50_000: 25 * time.Minute, 100_000: 50 * time.Minute, 250_000: 50 * time.Minute,
	} {
		assert.Equal(t, want, StandingsInterval(players), "%d players", players)
	}
}
