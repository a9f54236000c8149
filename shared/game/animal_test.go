package game

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTraitsBecomeObjectsInTheirOrder(t *testing.T) {
	for want, traits := range map[string]any{
		`{"weightScore":12.34,"milkYieldScore":0.00,"growthRateScore":0.00,"temperamentScore":0.00,"coatQualityScore":0.00,"fertilityScore":0.00,"hardinessScore":0.00,"showPotentialScore":100.00}`: Phenotype{12_34, 7: FixedMax},
		`{"gWeight":7,"gMilkYield":0,"gGrowthRate":0,"gTemperament":0,"gCoatQuality":0,"gFertility":0,"gHardiness":0,"gShowPotential":100}`:                                                          Genotype{7, 7: 100},
	} {
		got, err := json.Marshal(traits)
		assert.True(t, err == nil && string(got) == want, "got %s, %v, want %s", got, err, want)
	}
}
