package game

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStarters(t *testing.T) {
	const owner, ranch = ID("11111111-1111-4111-8111-111111111111"), ID("22222222-2222-4222-8222-222222222222")
	now := InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 1e6, time.UTC))
	born := InstantOf(time.Date(2026, 5, 4, 9, 30, 0, 1e6, time.UTC))
	starter := func(name, breed, sex string) Animal {
		return Animal{Owner: owner, Ranch: ranch, Name: name, Breed: breed, Sex: sex, BornAt: born, Stage: "adult", Status: "idle",
			Condition: 80_00, Health: 100}
	}
	want := []Animal{starter("Buck", "Angus", "male"), starter("Bessie", "Angus", "female"), starter("Millie", "Holstein", "female")}

	got := Starters(rand.New(rand.NewPCG(1, 2)), owner, ranch, now)
	assert.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreFields(Animal{}, "ID", "RarityTier", "Phenotype", "Genotype")))
	ids := map[ID]bool{}
	for _, animal := range got {
		canonical, ok := ParseID(string(animal.ID))
		assert.True(t, ok && canonical == animal.ID, "%s has the id %q", animal.Name, animal.ID)
		ids[animal.ID] = true
	}
	assert.Len(t, ids, 3, "the three have %d ids", len(ids))
}

func isStrength(breed string, trait Trait) bool {
	switch trait {
	case Weight, GrowthRate, Hardiness:
		return breed == "Angus"
	case MilkYield, Temperament, Fertility:
		return breed == "Holstein"
	}
	return false
}

// The draws from 0 to 999, each of which is as probable as any other, give each tier its share.
func TestRarityFrequencies(t *testing.T) {
	drawn := map[string]int{}
	for draw := range 1000 {
		tier, _ := rarityOf(draw)
		drawn[tier]++
	}
	assert.Equal(t, map[string]int{"common": 600, "uncommon": 250, "rare": 100, "epic": 40, "legendary": 10}, drawn)
}

func TestPhenotypeStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Genotype
		for trait := range g {
			g[trait] = rapid.IntRange(0, 100).Draw(t, "gene")
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for trait, value := range express(rng, g) {
			gene := Fixed(g[trait] * 100)
			require.True(t, value >= max(0, gene-5_00) && value <= min(100_00, gene+5_00), "gene %d, trait %v", g[trait], value)
		}
	})
}

// Genes and deviations stay in the documented ranges, and reach both ends.
func TestStarterTraits(t *testing.T) {
	bonuses := map[string]int{"common": 0, "uncommon": 1, "rare": 3, "epic": 5, "legendary": 8}
	rng := rand.New(rand.NewPCG(3, 4))
	lowest, highest := 100, 0
	closest, farthest := Fixed(0), Fixed(0)
	for range 5_000 {
		for _, animal := range Starters(rng, "", "", 0) {
			bonus, ok := bonuses[animal.RarityTier]
			require.True(t, ok, "rarity tier %q", animal.RarityTier)
			for trait, gene := range animal.Genotype {
				low, high := 35+bonus, 55+bonus
				if isStrength(animal.Breed, Trait(trait)) {
					low, high = low+15, high+15
				}
				require.True(t, gene >= low && gene <= high,
					"%s, %s: gene %d is %d, want %d to %d", animal.Name, animal.RarityTier, trait, gene, low, high)
				deviation := animal.Phenotype[trait] - Fixed(gene*100)
				lowest, highest = min(lowest, gene), max(highest, gene)
				closest, farthest = min(closest, deviation), max(farthest, deviation)
			}
		}
	}
	assert.True(t, lowest == 35 && highest == 78 && closest == -5_00 && farthest == 5_00,
		"genes from %d to %d, deviations from %v to %v", lowest, highest, closest, farthest)
}
