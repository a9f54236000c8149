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

// rarities holds, for each rarity tier, its chance in thousandths and the bonus that it adds to every gene.
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

// A starter animal's gene is a random number from geneMin to geneMax, plus a bonus of the rarity tier. The three
// strengths of the breed get strengthBonus more. A trait of the phenotype differs from its gene by at most
// maxDeviation. The deviation represents effects of the environment.
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

// Starters returns the three animals of a new ranch: Buck and Bessie (Angus) and Millie (Holstein). It draws the ids at
// random, and the traits from rng. The animals are adult, idle and healthy, have condition 80.00, and were born 200
// days before now.
//
// The rarity tier is common, uncommon, rare, epic or legendary with a chance of 600, 250, 100, 40 or 10 in 1000. Each
// gene is an integer drawn evenly from 35 to 55. A strength of the breed adds 15 (Angus: weight, growth rate,
// hardiness; Holstein: milk yield, temperament, fertility). The tier adds 0, 1, 3, 5 or 8. So genes are from 35 to 78.
// Each trait of the phenotype is its gene plus a deviation that is drawn evenly from -5.00 to +5.00. So traits are from
// 30.00 to 83.00.
func Starters(rng *rand.Rand, owner, ranch ID, now Instant) []Animal {
	starter := func(name, breed, sex string) Animal {
		tier, bonus := rarityOf(rng.IntN(1000))
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

// rarityOf returns the rarity tier of a draw from 0 to 999, and its bonus to each gene.
func rarityOf(draw int) (tier string, bonus int) {
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

// express returns the phenotype of an animal with the genotype, with random deviations from rng. It clamps each value
// to the range from 0.00 to 100.00.
func express(rng *rand.Rand, g Genotype) Phenotype {
	var p Phenotype
	for trait, gene := range g {
		deviation := Fixed(rng.IntN(int(2*maxDeviation)+1)) - maxDeviation
		p[trait] = (Fixed(gene)*100 + deviation).Clamp()
	}
	return p
}
