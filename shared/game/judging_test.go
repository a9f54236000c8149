package game

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRank(t *testing.T) {
	contestants := []Contestant{
		{Animal: "e", Score: 50_00, Entered: 9},
		{Animal: "d", Score: 80_00, Entered: 3},
		{Animal: "z", Score: 80_00, Entered: 2},
		{Animal: "c", Score: 80_00, Entered: 3},
		{Animal: "f", Score: 0, Entered: 1},
		{Animal: "a", Score: 90_00, Entered: 9},
	}
	Rank(contestants)
	want := []Contestant{
		{Animal: "a", Score: 90_00, Entered: 9, Rank: 1},
		{Animal: "z", Score: 80_00, Entered: 2, Rank: 2}, // the earlier entry
		{Animal: "c", Score: 80_00, Entered: 3, Rank: 3}, // the lower animal id
		{Animal: "d", Score: 80_00, Entered: 3, Rank: 4},
		{Animal: "e", Score: 50_00, Entered: 9, Rank: 5},
		{Animal: "f", Score: 0, Entered: 1, Rank: 6},
	}
	assert.Empty(t, cmp.Diff(want, contestants))
	Rank(nil) // a show without entries
}

// Ranks are 1 to n, each once. They do not depend on the order in which the store reads the entries.
func TestRankDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contestants := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Contestant {
			return Contestant{
				Animal:  ID(rapid.StringMatching(`[a-f]{1,3}`).Draw(t, "animal")),
				Score:   Fixed(rapid.IntRange(0, 3).Draw(t, "score")),
				Entered: Instant(rapid.IntRange(0, 3).Draw(t, "entered")),
			}
		}), 0, 20, func(c Contestant) ID { return c.Animal }).Draw(t, "contestants")
		shuffled := slices.Clone(contestants)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })

		Rank(contestants)
		Rank(shuffled)
		require.Empty(t, cmp.Diff(contestants, shuffled))
		for i, c := range contestants {
			require.True(t, c.Rank == i+1 && (i <= 0 || contestants[i-1].Score >= c.Score), "%+v", contestants)
		}
	})
}

func TestSortEntries(t *testing.T) {
	entries := []Entry{
		{ID: "f", CreatedAt: 2},
		{ID: "g", CreatedAt: 1},
		{ID: "e", CreatedAt: 2},
		{ID: "b", Rank: new(2), CreatedAt: 1},
		{ID: "d", CreatedAt: 1},
		{ID: "a", Rank: new(1), CreatedAt: 9},
		{ID: "c", Rank: new(3), CreatedAt: 0},
	}
	SortEntries(entries)
	var order string
	for _, e := range entries {
		order += string(e.ID)
	}
	if want := "abcdgef"; order != want { // by rank, the unranked last, by creation, by id
		t.Errorf("got %s, want %s", order, want)
	}
}
