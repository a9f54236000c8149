package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const unexpected = `{"error":"INTERNAL_ERROR"}`

func TestAnimals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	b.AddPlayer(t, storetest.Bob)
	b.Unchanged(t, func() {
		list := b.Golden(t, "animals", b.As(t, ann.User)).List(t)
		require.Len(t, list, 3, "%d animals", len(list))
		for i, shown := range list { // by id
			assert.True(t, shown["id"] == string(ann.Animals[i].ID) && shown["owner"] == string(ann.ID) && shown["born_at"] == "2026-05-04T09:30:00.000Z",
				shown)
		}
	})
}

func TestAnimalsThatChanged(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint).AtTime(functiontest.Start + 7)
	ann := b.AddPlayer(t, storetest.Ann)
	b.MustChange(t, ann, 0, operate.AnimalChange{Status: new(game.StatusPregnant), DiedAt: &b.Now, DropPhenotype: true})
	shown := b.Do(t, b.As(t, ann.User)).List(t)[0]
	assert.True(t, shown["status"] == "pregnant" && shown["died_at"] == "2026-11-20T09:30:00.007Z" && shown["phenotype"] == nil && shown["born_at"] == "2026-05-04T09:30:00.007Z",
		shown)
}

func TestNoAnimals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.Do(t, b.As(t, b.AddExternal(t, storetest.Ann, "").User)).Want(t, 200, `[]`)
	b.Do(t, functiontest.Request{Token: b.Access(t, game.User{ID: storetest.ID(1)})}).Want(t, 200, `[]`)
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
