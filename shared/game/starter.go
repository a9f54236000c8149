package game

import (
	"math/rand/v2"
	"time"
)

// Rarity tiers of animals, from the most to the least frequent.
const (
	RarityCommon    = "common"
	RarityUncommon  = "uncommon"
	RarityRare      = "rare"
	RarityEpic      = "epic"
	RarityLegendary = "legendary"
)

// Breeds of the starter animals.
const (
	BreedAngus    = "Angus"
	BreedHolstein = "Holstein"
)

// The values that every starter animal begins with.
const (
	starterAge       = 200 * 24 * time.Hour
	starterHealth    = 100
	starterCondition = Fixed(80_00)
)

// rarities has the chance of each tier in thousandths, and its addition to every gene.
var rarities = [...]struct {
	tier   string
	chance int
	bonus  int
}{
	{RarityCommon, 600, 0},
	{RarityUncommon, 250, 1},
	{RarityRare, 100, 3},
	{RarityEpic, 40, 5},
	{RarityLegendary, 10, 8},
}

// Genes of starters: a random base from geneMin to geneMax, plus strengthBonus in the three strengths of the breed. A
// trait of the phenotype differs from its gene by at most maxDeviation, which stands for the environment.
const (
	geneMin       = 35
	geneMax       = 55
	strengthBonus = 15
	maxDeviation  = Fixed(5_00)
)

var strengths = map[string][3]Trait{
	BreedAngus:    {Weight, GrowthRate, Hardiness},
	BreedHolstein: {MilkYield, Temperament, Fertility},
}

// Starters returns the three animals of a new ranch, with fresh IDs and with traits drawn from rng: Buck and Bessie
// (Angus) and Millie (Holstein). They are adult, idle, healthy, in condition 80.00 and born 200 days before now.
//
// The rarity tier is common, uncommon, rare, epic or legendary with a chance of 600, 250, 100, 40 or 10 in 1000. Each
// gene is an integer drawn evenly from 35 to 55. A strength of the breed adds 15 (Angus: weight, growth rate,
// hardiness; Holstein: milk yield, temperament, fertility). The tier adds 0, 1, 3, 5 or 8. So genes are from 35 to 78.
// Each trait of the phenotype is its gene and a deviation drawn evenly from -5.00 to +5.00: from 30.00 to 83.00.
func Starters(rng *rand.Rand, owner, ranch ID, now Instant) []Animal {
	starter := func(name, breed, sex string) Animal {
		tier, bonus := drawRarity(rng)
		genotype := drawGenotype(rng, breed, bonus)
		phenotype := express(rng, genotype)
		return Animal{
			ID: NewID(), Owner: owner, Ranch: ranch, Name: name, Breed: breed, Sex: sex,
			BornAt: now.Add(-starterAge), Stage: StageAdult, Status: StatusIdle, RarityTier: tier,
			Condition: starterCondition, Health: starterHealth, Phenotype: &phenotype, Genotype: &genotype,
		}
	}
	return []Animal{
		starter("Buck", BreedAngus, "male"),
		starter("Bessie", BreedAngus, "female"),
		starter("Millie", BreedHolstein, "female"),
	}
}

func drawRarity(rng *rand.Rand) (tier string, bonus int) {
	draw := rng.IntN(1000)
	for _, r := range rarities {
		if draw < r.chance {
			return r.tier, r.bonus
		}
		draw -= r.chance
	}
	panic("game: the chances of the rarity tiers do not add up to 1000")
}

func drawGenotype(rng *rand.Rand, breed string, bonus int) Genotype {
	var g Genotype
	for trait := range g {
		g[trait] = geneMin + rng.IntN(geneMax-geneMin+1) + bonus
	}
	for _, trait := range strengths[breed] {
		g[trait] += strengthBonus
	}
	return g
}

// express returns a phenotype that grew from the genotype. Values that would leave the range of a phenotype stop at its
// ends.
func express(rng *rand.Rand, g Genotype) Phenotype {
	var p Phenotype
	for trait, gene := range g {
		deviation := Fixed(rng.IntN(int(2*maxDeviation)+1)) - maxDeviation
		p[trait] = (Fixed(gene)*100 + deviation).Clamp()
	}
	return p
}
