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
	again := Starters(rand.New(rand.NewPCG(1, 2)), owner, ranch, now) // the ids do not come from the seed
	checkIDs(t, got[0].ID, got[1].ID, got[2].ID, again[0].ID)
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

// The draws from 0 to 999 are equally probable. Together they give each tier its share.
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

// Genes and deviations take all values of their documented ranges, and no others: genes in each tier and trait,
// deviations in each trait.
func TestStarterTraits(t *testing.T) {
	bonuses := map[string]int{"common": 0, "uncommon": 1, "rare": 3, "epic": 5, "legendary": 8}
	rng := rand.New(rand.NewPCG(3, 4))
	type value struct {
		tier         string
		trait, above int
	}
	genes, deviations := map[value]bool{}, map[value]bool{}
	for range 10_000 {
		for _, animal := range Starters(rng, "", "", 0) {
			bonus, ok := bonuses[animal.RarityTier]
			require.True(t, ok, "rarity tier %q", animal.RarityTier)
			for trait, gene := range animal.Genotype {
				above, deviation := gene-35-bonus, int(animal.Phenotype[trait])-gene*100
				if isStrength(animal.Breed, Trait(trait)) {
					above -= 15
				}
				require.True(t, above >= 0 && above <= 20 && deviation >= -5_00 && deviation <= 5_00,
					"%s, %s: gene %d is %d, deviation %d", animal.Name, animal.RarityTier, trait, gene, deviation)
				genes[value{animal.RarityTier, trait, above}], deviations[value{"", trait, deviation}] = true, true
			}
		}
	}
	assert.Len(t, genes, len(bonuses)*int(TraitCount)*21)
	assert.Len(t, deviations, int(TraitCount)*1001)
}
