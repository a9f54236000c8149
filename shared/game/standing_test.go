package game

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
