package game

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The worked example of docs/scoring.md.
func TestScoreWorkedExample(t *testing.T) {
	const animal = ID("0b7e4d6a-1f2c-4e3d-8b9a-5c6d7e8f9a0b")
	phenotype := Phenotype{52_30, 41_75, 66_20, 48_90, 57_15, 39_60, 71_05, 60_00}
	scorer := NewScorer("6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f")

	assert.Empty(t, cmp.Diff([TraitCount]int64{3, 2, 8, 1, 1, 4, 1, 3}, scorer.weights), "weights")
	spread := scorer.spread(animal)
	assert.True(t, spread == 1_15, "spread %v", spread)
	for condition, want := range map[Fixed]Fixed{0: 40_27, 80_00: 53_69, 100_00: 57_04} {
		assert.Equal(t, want, scorer.Score(animal, phenotype, condition), "condition %v: score", condition)
	}
	// Qualities of 28.035 and of 28.02496: a half rounds up, less than a half rounds down.
	for phenotype, want := range map[Phenotype]Fixed{
		{40_05, 40_05, 40_05, 40_05, 40_05, 40_05, 40_05, 40_05}: 29_19, {40_04, 40_04, 40_04, 40_03, 40_03, 40_03, 40_03, 40_03}: 29_17,
	} {
		assert.Equal(t, want, scorer.Score(animal, phenotype, 0), "%v: score", phenotype)
	}
}

// Integer arithmetic gives the same score as exact fractions that are rounded once. Half of the animals are so good
// that many of their scores end at 100.00.
func TestScoreIsTheDocumentedFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		show, animal := drawID(t, "show"), drawID(t, "animal")
		value := rapid.Int32Range(rapid.SampledFrom([]int32{0, 97_00}).Draw(t, "least value"), 100_00)
		scorer, condition := NewScorer(show), Fixed(value.Draw(t, "condition"))
		var phenotype Phenotype
		sum, total := int64(0), int64(0)
		for trait, weight := range scorer.weights {
			phenotype[trait] = Fixed(value.Draw(t, "trait value"))
			sum, total = sum+weight*int64(phenotype[trait]), total+weight
		}
		mean := big.NewRat(sum, total)
		factor := new(big.Rat).Add(big.NewRat(70, 100), big.NewRat(30*int64(condition), 100*100_00))
		quality := new(big.Rat).Mul(mean, factor)
		half := new(big.Rat).Add(quality, big.NewRat(1, 2))
		rounded := new(big.Int).Div(half.Num(), half.Denom()).Int64() // the floor: both are positive
		h := sha256.Sum256([]byte("ranch/score/1/spread/" + show + "/" + animal))
		spread := Fixed(binary.BigEndian.Uint64(h[:8])%601) - 3_00
		want := min(max(Fixed(rounded)+spread, 0), 100_00)
		require.Equal(t, want, scorer.Score(animal, phenotype, condition), "spread %v", spread)
	})
}

// favourites returns the two traits whose weights a show multiplies by four, by the formula of docs/scoring.md.
func favourites(show ID) (first, second int) {
	h := sha256.Sum256([]byte("ranch/score/1/weights/" + show))
	first = int(h[8]) % 8
	return first, (first + 1 + int(h[9])%7) % 8
}

// In every show, the two favourites are those of the documented formula.
func TestFavourites(t *testing.T) {
	for n := range 200 {
		show := ID(fmt.Sprintf("show %d", n))
		h := sha256.Sum256([]byte("ranch/score/1/weights/" + show))
		first, second := favourites(show)
		var want [TraitCount]int64
		for trait := range want {
			want[trait] = 1 + int64(h[trait])%4
			if trait == first || trait == second {
				want[trait] *= 4
			}
		}
		got := NewScorer(show).weights
		assert.True(t, got == want, "%s: got %v, want %v", show, got, want)
	}
}

// In 300 shows with 300 players, each of the three starters is its player's best in at least a quarter of all cases.
// For at least 90 % of the players, each starter is the best in at least one show.
func TestEveryStarterWinsSomeShows(t *testing.T) {
	scorers := makeJudges(300)
	const players = 300
	var wins [3]int
	fair := 0
	for player := range players {
		starters := makeStarters(player)
		var own [3]int
		for _, scorer := range scorers {
			own[winner(scorer, starters)]++
		}
		for i := range own {
			wins[i] += own[i]
		}
		if min(own[0], own[1], own[2]) > 0 {
			fair++
		}
	}
	for i, n := range wins {
		assert.True(t, n >= players*len(scorers)/4, "starter %d wins %d of %d", i, n, players*len(scorers))
	}
	assert.True(t, fair >= players*9/10, "only %d of %d players have three starters that win something", fair, players)
}

func TestScoreDoesNotAllocate(t *testing.T) {
	scorer, animal, phenotype := NewScorer(NewID()), NewID(), Phenotype{}
	n := testing.AllocsPerRun(100, func() { scorer.Score(animal, phenotype, 50_00) })
	assert.True(t, n == 0, "%v allocations for a score", n)
}

func makeJudges(n int) []Scorer {
	scorers := make([]Scorer, n)
	for i := range scorers {
		scorers[i] = NewScorer(ID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)))
	}
	return scorers
}

// makeStarters returns the same animals for the same player in every run.
func makeStarters(player int) []Animal {
	starters := Starters(rand.New(rand.NewPCG(uint64(player), 0)), "", "", 0)
	for i := range starters {
		starters[i].ID = ID(fmt.Sprintf("00000000-0000-4000-9000-%011d%d", player, i))
	}
	return starters
}

func winner(scorer Scorer, field []Animal) int {
	best, bestScore := 0, Fixed(-1)
	for i, animal := range field {
		if score := scorer.Score(animal.ID, *animal.Phenotype, animal.Condition); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

func drawID(t *rapid.T, label string) ID {
	return ID(rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, label))
}
