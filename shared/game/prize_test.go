package game

import "testing"

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
