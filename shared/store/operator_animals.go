package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
)

// AnimalChange says what to change of an animal; what is nil or false stays as it is.
type AnimalChange struct {
	Stage         *string
	Status        *string
	Condition     *game.Fixed
	DiedAt        *game.Instant // it is dead since then
	Alive         bool          // it is not dead any more
	DropPhenotype bool
}

// Apply returns the animal as the change makes it.
func (c AnimalChange) Apply(a game.Animal) game.Animal {
	if c.Stage != nil {
		a.Stage = *c.Stage
	}
	if c.Status != nil {
		a.Status = *c.Status
	}
	if c.Condition != nil {
		a.Condition = *c.Condition
	}
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

// ChangeAnimal changes a user's animal, and notes that it was changed: judgings then go by the animal in place of what
// its entries have of it (see traitReader). It returns ErrUnknownAnimal when the user has no such animal.
func (o Operator) ChangeAnimal(ctx context.Context, owner, animal game.ID, c AnimalChange) error {
	if c == (AnimalChange{}) {
		return errors.New("nothing to change")
	}
	k := animalKey(owner, animal)
	return o.make(ctx, "change animal", "animal "+string(animal), func(ctx context.Context, t *transaction) (before, after any, err error) {
		item, err := get[animalItem](ctx, o.store, k)
		if err != nil {
			return nil, nil, err
		}
		if item == nil {
			return nil, nil, ErrUnknownAnimal
		}
		was, becomes := *item.animal(), c.Apply(*item.animal())
		changed, values := newAnimalItem(becomes), attributes{}
		changed.Changes = item.Changes + 1
		t.put(changed, "attribute_exists(PK) AND "+asRead(values, "ch", item.Changes), values, errStale)
		t.put(changedAnimalKey(animal), "", nil, nil)
		return newAnimalState(was), newAnimalState(becomes), nil
	})
}

// animalState is what records say of an animal.
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
