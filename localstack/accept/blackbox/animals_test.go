package blackbox

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	phenotypeNames = []string{"weightScore", "milkYieldScore", "growthRateScore", "temperamentScore", "coatQualityScore", "fertilityScore", "hardinessScore", "showPotentialScore"}
	genotypeNames  = []string{"gWeight", "gMilkYield", "gGrowthRate", "gTemperament", "gCoatQuality", "gFertility", "gHardiness", "gShowPotential"}
)

// between takes numbers in a range.
func between(least, most float64) matcher {
	return matcher{"a number in range", func(v any) bool {
		n, ok := v.(json.Number)
		f, err := n.Float64()
		return ok && err == nil && least <= f && f <= most
	}}
}

// The starters of section 2.4, with traits in the ranges of docs/scoring.md.
func TestAnimals_starters(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	user := p.account(t)
	born := instant(t, user["createdAt"]).Add(-200 * 24 * time.Hour).Format("2006-01-02T15:04:05.000Z")
	traits := func(names []string, least, most float64) object {
		o := object{}
		for _, name := range names {
			o[name] = between(least, most)
		}
		return o
	}
	kinds := map[any][2]string{"Buck": {"Angus", "male"}, "Bessie": {"Angus", "female"}, "Millie": {"Holstein", "female"}}
	animals := herd(t, p.token)
	for _, animal := range animals {
		kind, known := kinds[animal["name"]]
		if !known {
			t.Errorf("%v", animal["name"])
		}
		delete(kinds, animal["name"])
		want := object{
			"id": anyID, "owner": p.id, "ranch": user["ranch"].(object)["id"], "name": animal["name"], "breed": kind[0], "sex": kind[1], "born_at": born,
			"stage": "adult", "status": anyText, "rarity_tier": anyText, "condition": between(0, 100), "health": anyInteger, "died_at": nil,
			"phenotype": traits(phenotypeNames, 30, 83), "genotype": traits(genotypeNames, 35, 78),
		}
		matches(t, kind[0], want, animal)
		if !slices.Contains([]any{"common", "uncommon", "rare", "epic", "legendary"}, animal["rarity_tier"]) || animal["status"] == "pregnant" {
			t.Errorf("%v, %v", animal["rarity_tier"], animal["status"])
		}
		for name, gene := range animal["genotype"].(object) {
			if strings.Contains(gene.(json.Number).String(), ".") {
				t.Errorf("%s is %v", name, gene)
			}
		}
	}
	if len(animals) != 3 || len(kinds) != 0 {
		t.Errorf("%d animals, without %v", len(animals), kinds)
	}
}

// Two ranches have different animals, and nobody sees another's.
func TestAnimals_areTheCallersOwn(t *testing.T) {
	t.Parallel()
	p, other := newPlayer(t), newPlayer(t)
	ids, genes := map[any]bool{}, map[string]bool{}
	for _, who := range []*player{p, other} {
		for _, animal := range get(t, who.token, "/animals?owner="+p.id).list(t) {
			if animal["owner"] != who.id {
				t.Errorf("%s sees %v", who.username, animal)
			}
			ids[animal["id"]] = true
			genes[show(animal["genotype"])] = true
		}
	}
	if len(ids) != 6 || len(genes) != 6 {
		t.Errorf("%d ids and %d genotypes", len(ids), len(genes))
	}
}
