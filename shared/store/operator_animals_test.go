package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// A change of an animal undoes no other change between its read and its write. It does not restore a deleted animal.
func TestChangesDuringAChangeOfAnAnimal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	want := f.Ann.Animals[0]
	change := func(animal int, c operate.AnimalChange) error {
		return f.changes().ChangeAnimal(t.Context(), f.Ann.ID, f.Ann.Animals[animal].ID, c)
	}
	for _, text := range []string{"first", "later"} {
		f.Meanwhile(func() { f.MustChange(t, f.Ann, 0, operate.AnimalChange{Status: &text}) })
		checkError(t, change(0, operate.AnimalChange{Stage: &text}), nil)
		want.Stage, want.Status = text, text
		got := must(f.Animal(t.Context(), f.Ann.ID, want.ID))(t)
		storetest.Equal(t, "animal", got, &want)
	}
	row := f.At(store.AnimalKey(f.Ann.ID, f.Ann.Animals[1].ID))
	f.Meanwhile(func() { row.Delete(t) })
	checkError(t, change(1, operate.AnimalChange{Stage: &want.Stage}), store.ErrUnknownAnimal)
	storetest.Equal(t, "animal that is gone", row.Read(t), nil)
}

func TestAnimalChanges(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	want := f.Ann.Animals[0]
	stage, status, condition, died := "elder", "resting", game.Fixed(12_34), f.Now
	for _, c := range []struct {
		change operate.AnimalChange
		expect func()
	}{
		{operate.AnimalChange{Stage: &stage}, func() { want.Stage = stage }},
		{operate.AnimalChange{Status: &status, Condition: &condition}, func() { want.Status, want.Condition = status, condition }},
		{operate.AnimalChange{DiedAt: &died, DropPhenotype: true}, func() { want.DiedAt, want.Phenotype = &died, nil }},
		{operate.AnimalChange{Alive: true}, func() { want.DiedAt = nil }},
	} {
		c.expect()
		checkError(t, f.changes().ChangeAnimal(t.Context(), f.Ann.ID, want.ID, c.change), nil)
		got := must(f.Animal(t.Context(), f.Ann.ID, want.ID))(t)
		storetest.Equal(t, "animal", got, &want)
	}
	f.Unchanged(t, func() {
		assert.Error(t, f.changes().ChangeAnimal(t.Context(), f.Ann.ID, want.ID, operate.AnimalChange{}), "changed nothing without an error")
	})
}
