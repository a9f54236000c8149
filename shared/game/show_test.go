package game

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		if got := show.AcceptsEntriesAt(test.now); got != test.want {
			t.Errorf("%s at %v: %t", test.status, test.now, got)
		}
	}
}

func TestShowFree(t *testing.T) {
	for fee, want := range map[int64]bool{-5: true, 0: true, 1: false} {
		if got := (Show{EntryFee: fee}).Free(); got != want {
			t.Errorf("fee %d is free: %t", fee, got)
		}
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
			if got := Prize(tier, rank); got != want {
				t.Errorf("%q, rank %d: got %d, want %d", tier, rank, got, want)
			}
		}
		if got, want := HasPrizes(tier), prizes[1] > 0; got != want {
			t.Errorf("%q has prizes: %t, want %t", tier, got, want)
		}
		if Prize(tier, -1) != 0 || Prize(tier, 50_000) != 0 {
			t.Errorf("%q pays for ranks that do not exist", tier)
		}
	}
}

func TestSeasonPoints(t *testing.T) {
	for rank, want := range map[int]int64{0: 5, 1: 100, 2: 60, 3: 30, 4: 15, 5: 10, 6: 5, 50_000: 5} {
		if got := SeasonPoints(rank); got != want {
			t.Errorf("rank %d: got %d, want %d", rank, got, want)
		}
	}
}

func TestRankSeason(t *testing.T) {
	got := RankSeason(map[ID]int64{"d": 5, "b": 90, "a": 90, "e": 0, "c": 100})
	want := []Standing{
		{Rank: 1, PlayerID: "c", Points: 100}, {Rank: 2, PlayerID: "a", Points: 90}, {Rank: 2, PlayerID: "b", Points: 90},
		{Rank: 4, PlayerID: "d", Points: 5}, {Rank: 5, PlayerID: "e"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = RankSeason(map[ID]int64{"b": 60, "a": 60}) // they share the first rank, too
	want = []Standing{{Rank: 1, PlayerID: "a", Points: 60}, {Rank: 1, PlayerID: "b", Points: 60}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none := RankSeason(nil); none == nil || len(none) != 0 {
		t.Error(none)
	}
}
