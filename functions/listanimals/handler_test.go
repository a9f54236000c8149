package main

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const unexpected = `{"error":"INTERNAL_ERROR"}`

var (
	animalShape = functiontest.Shape{
		"id": functiontest.UUID, "owner": functiontest.UUID, "ranch": functiontest.UUID, "name": functiontest.Text, "breed": functiontest.Text,
		"sex": functiontest.Text, "born_at": functiontest.Time, "stage": functiontest.Text, "status": functiontest.Text, "rarity_tier": functiontest.Text,
		"condition": functiontest.Decimal, "health": functiontest.Integer, "died_at": functiontest.Null, "phenotype": functiontest.Object,
		"genotype": functiontest.Object,
	}
	phenotypeShape = all(functiontest.Decimal, "weightScore", "milkYieldScore", "growthRateScore", "temperamentScore", "coatQualityScore",
		"fertilityScore", "hardinessScore", "showPotentialScore")
	genotypeShape = all(functiontest.Integer, "gWeight", "gMilkYield", "gGrowthRate", "gTemperament", "gCoatQuality", "gFertility", "gHardiness",
		"gShowPotential")
)

func all(kind functiontest.Kind, names ...string) functiontest.Shape {
	shape := functiontest.Shape{}
	for _, name := range names {
		shape[name] = kind
	}
	return shape
}

func TestAnimals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	b.AddPlayer(t, storetest.Bob)
	b.Unchanged(t, func() {
		list := b.Golden(t, "animals", b.As(t, ann.User)).List(t)
		if len(list) != 3 {
			t.Fatalf("%d animals", len(list))
		}
		for i, shown := range list { // by id
			animalShape.Check(t, shown)
			phenotypeShape.Check(t, functiontest.In[map[string]any](t, shown, "phenotype"))
			genotypeShape.Check(t, functiontest.In[map[string]any](t, shown, "genotype"))
			if shown["id"] != string(ann.Animals[i].ID) || shown["owner"] != string(ann.ID) || shown["born_at"] != "2026-05-04T09:30:00.000Z" {
				t.Error(shown)
			}
		}
	})
}

func TestAnimalsThatChanged(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint).AtTime(functiontest.Start + 7)
	ann := b.AddPlayer(t, storetest.Ann)
	b.MustChange(t, ann, 0, store.AnimalChange{Status: new(game.StatusPregnant), DiedAt: &b.Now, DropPhenotype: true})
	shown := b.Do(t, b.As(t, ann.User)).List(t)[0]
	animalShape.And(functiontest.Shape{"died_at": functiontest.Time, "phenotype": functiontest.Null}).Check(t, shown)
	if shown["status"] != "pregnant" || shown["died_at"] != "2026-11-20T09:30:00.007Z" || shown["born_at"] != "2026-05-04T09:30:00.007Z" {
		t.Error(shown)
	}
}

func TestNoAnimals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.Do(t, b.As(t, b.AddExternal(t, storetest.Ann, "").User)).Want(t, 200, `[]`)
	b.Do(t, functiontest.Request{Token: b.Access(t, game.User{ID: storetest.ID(1)})}).Want(t, 200, `[]`)
}

// Reads live on until the token expires.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	r := b.As(t, ann.User)
	want := b.Do(t, r).Body
	b.Ban(t, ann.ID)
	b.Do(t, r).Want(t, 200, want)
	b.DeleteUser(t, ann.ID)
	b.Do(t, r).Want(t, 200, want)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	r := b.As(t, ann.User)
	functiontest.Faults(t, b, r, 500, unexpected, endpoint(nil, functiontest.Keys()))
	b.At("USER#"+string(ann.ID), "ANIMAL#"+string(ann.Animals[1].ID)).Edit(t, "SET he = :damaged", map[string]any{":damaged": "fine"})
	b.Golden(t, "failed", r).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	functiontest.Protected(t, b, ann.User, functiontest.Request{}, 200)
	b.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
