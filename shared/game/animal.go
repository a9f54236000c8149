package game

import (
	"encoding/json"
	"fmt"
)

// Calves and pregnant animals cannot enter shows. No other stage or status has an effect. Starters are adult and idle.
const (
	StageAdult     = "adult"
	StageCalf      = "calf"
	StatusPregnant = "pregnant"
	StatusIdle     = "idle"
)

// Animal is an animal with its phenotype and genotype.
type Animal struct {
	ID         ID         `json:"id"`
	Owner      ID         `json:"owner"`
	Ranch      ID         `json:"ranch"`
	Name       string     `json:"name"`
	Breed      string     `json:"breed"`
	Sex        string     `json:"sex"`
	BornAt     Instant    `json:"born_at"`
	Stage      string     `json:"stage"`
	Status     string     `json:"status"`
	RarityTier string     `json:"rarity_tier"`
	Condition  Fixed      `json:"condition"` // 0.00 to 100.00
	Health     int        `json:"health"`    // 0 to 100
	DiedAt     *Instant   `json:"died_at"`
	Phenotype  *Phenotype `json:"phenotype"`
	Genotype   *Genotype  `json:"genotype"`
}

// Trait is the index of one of the eight traits in a Phenotype or Genotype, in the order of docs/rules.md, S2.3.1.
type Trait int

// The traits.
const (
	Weight Trait = iota
	MilkYield
	GrowthRate
	Temperament
	CoatQuality
	Fertility
	Hardiness
	ShowPotential
	TraitCount
)

var (
	phenotypeNames = [TraitCount]string{"weightScore", "milkYieldScore", "growthRateScore", "temperamentScore",
		"coatQualityScore", "fertilityScore", "hardinessScore", "showPotentialScore"}
	genotypeNames = [TraitCount]string{"gWeight", "gMilkYield", "gGrowthRate", "gTemperament",
		"gCoatQuality", "gFertility", "gHardiness", "gShowPotential"}
)

// Phenotype holds the eight visible trait scores, each 0.00 to 100.00.
type Phenotype [TraitCount]Fixed

// Genotype holds the eight gene values, each 0 to 100.
type Genotype [TraitCount]int

// MarshalJSON returns an object with one member for each trait (docs/rules.md, S2.3.1).
func (p Phenotype) MarshalJSON() ([]byte, error) { return marshalTraits(phenotypeNames, p) }

// MarshalJSON returns an object with one member for each trait (docs/rules.md, S2.3.1).
func (g Genotype) MarshalJSON() ([]byte, error) { return marshalTraits(genotypeNames, g) }

// marshalTraits returns a JSON object with the members in the order of names. A Go map would not keep that order.
func marshalTraits[V any](names [TraitCount]string, values [TraitCount]V) ([]byte, error) {
	object := []byte{'{'}
	for i, name := range names {
		value, err := json.Marshal(values[i])
		if err != nil {
			return nil, err
		}
		object = fmt.Appendf(object, "%q:%s,", name, value)
	}
	object[len(object)-1] = '}'
	return object, nil
}
