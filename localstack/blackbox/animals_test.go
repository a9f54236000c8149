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

// What operators change is what the owner sees.
func TestAnimals_changes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.change(t, p.buck, "--stage", "calf", "--status", "pregnant", "--condition", "12.5", "--dead")
	p.change(t, p.millie, "--drop-phenotype")
	for _, animal := range herd(t, p.token) {
		switch animal["id"] {
		case p.buck:
			if animal["stage"] != "calf" || animal["status"] != "pregnant" || animal["condition"] != json.Number("12.50") {
				t.Errorf("%v", animal)
			}
			isNow(t, "died_at", animal["died_at"])
		case p.millie:
			if animal["phenotype"] != nil || animal["genotype"] == nil {
				t.Errorf("%v", animal)
			}
		default:
			if animal["died_at"] != nil || animal["phenotype"] == nil {
				t.Errorf("%v", animal)
			}
		}
	}
}

// A list of nothing is [], not null: only a user of an external sign-in has no animals, and no password to get a token
// with.
func TestAnimals_none(t *testing.T) {
	t.Parallel()
	external := newExternal(t)
	external.token = handmade(t, external.id)
	get(t, external.token, "/animals").is(t, 200, list{})
	show := newShow(t, scene{fee: 1})
	external.enter(t, show.id, reader(t).buck).refuses(t, 404, "NOT_FOUND", "Animal not found")
	external.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	external.judge(t, show.id).is(t, 200, showJudged(0, list{}))
}

// A token outlives its user in the table's eyes only until the user is needed: nobody by that id is nobody who may
// change anything.
func TestAnimals_callerUnknown(t *testing.T) {
	t.Parallel()
	nobody := &player{token: handmade(t, newID())}
	show := newShow(t, scene{})
	get(t, nobody.token, "/animals").is(t, 200, list{})
	nobody.enter(t, show.id, reader(t).buck).unauthorized(t, true)
	nobody.judge(t, show.id).unauthorized(t, true)
	nobody.claim(t, show.id).unauthorized(t, true)
	post(t, nobody.token, "/events/shows/"+show.id+"/enter", object{}).refuses(t, 400, "VALIDATION_ERROR", "")
	if got := detail(t, show.id); got["status"] != "open" || len(got["entries"].(list)) != 0 {
		t.Errorf("%v", got)
	}
}
