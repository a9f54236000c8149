package operate

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// AnimalChange is a change of an animal. Fields that are nil or false change nothing.
type AnimalChange struct {
	Stage         *string
	Status        *string
	Condition     *game.Fixed
	DiedAt        *game.Instant // when the animal died
	Alive         bool          // the animal lives again: removes DiedAt
	DropPhenotype bool
}

// Apply returns the changed animal.
func (c AnimalChange) Apply(a game.Animal) game.Animal {
	override(&a.Stage, c.Stage)
	override(&a.Status, c.Status)
	override(&a.Condition, c.Condition)
	if c.DiedAt != nil {
		a.DiedAt = c.DiedAt
	}
	if c.Alive {
		a.DiedAt = nil
	}
	if c.DropPhenotype {
		a.Phenotype = nil
	}
	return a
}

// override replaces the field by the value, unless the value is nil.
func override[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// ChangeAnimal changes a user's animal, and writes a note of this. A later judging that finds the note reads the animal
// itself, not the copy of its traits in the entry. ChangeAnimal returns store.ErrUnknownAnimal if the user
// has no such animal, and an error if no field of c is set.
func (o Operator) ChangeAnimal(ctx context.Context, owner, animal game.ID, c AnimalChange) error {
	if c == (AnimalChange{}) {
		return errors.New("nothing to change")
	}
	k := records.AnimalKey(owner, animal)
	return o.make(ctx, "change animal", "animal "+string(animal), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		item, err := table.Get[records.AnimalItem](ctx, o.desk.table, k)
		if err != nil {
			return nil, nil, err
		}
		if item == nil {
			return nil, nil, store.ErrUnknownAnimal
		}
		was, becomes := *item.Animal(), c.Apply(*item.Animal())
		changed := records.NewAnimalItem(becomes)
		changed.Changes = item.Changes + 1
		t.Put(changed, item.AsRead(), table.ErrStale)
		t.Replace(records.ChangedAnimalKey(animal))
		return newAnimalState(was), newAnimalState(becomes), nil
	})
}

// animalState is the state of an animal in audit records.
type animalState struct {
	Stage     string        `json:"stage"`
	Status    string        `json:"status"`
	Condition game.Fixed    `json:"condition"`
	DiedAt    *game.Instant `json:"diedAt,omitempty"`
	Phenotype bool          `json:"phenotype"`
}

func newAnimalState(a game.Animal) animalState {
	return animalState{a.Stage, a.Status, a.Condition, a.DiedAt, a.Phenotype != nil}
}
