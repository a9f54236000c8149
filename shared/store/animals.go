package store

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// Animals returns the animals of a user, in the order of their ids. One round trip; starters are 1 RCU.
func (s *Store) Animals(ctx context.Context, owner game.ID) ([]game.Animal, error) {
	items, err := s.queryAll(ctx, prefixed(userPK(owner), animalPrefix))
	if err != nil {
		return nil, err
	}
	return decodeAll(items, func(i *animalItem) game.Animal { return *i.animal() })
}

// AnimalChange says what to change of an animal; what is nil or false stays as it is.
type AnimalChange struct {
	Stage         *string
	Status        *string
	Condition     *game.Fixed
	DiedAt        *game.Instant // it is dead since then
	Alive         bool          // it is not dead any more
	DropPhenotype bool
}

// ChangeAnimal changes a user's animal and returns it as it is afterwards. It returns ErrUnknownAnimal when the user
// has no such animal.
func (s *Store) ChangeAnimal(ctx context.Context, owner, animal game.ID, c AnimalChange) (*game.Animal, error) {
	var set, remove []string
	values := attributes{}
	assign := func(name string, value types.AttributeValue) {
		set = append(set, name+" = :"+name)
		values[":"+name] = value
	}
	if c.Stage != nil {
		assign("sg", str(*c.Stage))
	}
	if c.Status != nil {
		assign("st", str(*c.Status))
	}
	if c.Condition != nil {
		assign("co", number(*c.Condition))
	}
	if c.DiedAt != nil {
		assign("di", number(*c.DiedAt))
	}
	if c.Alive {
		remove = append(remove, "di")
	}
	if c.DropPhenotype {
		remove = append(remove, "ph")
	}
	var clauses []string
	if len(set) > 0 {
		clauses = append(clauses, "SET "+strings.Join(set, ", "))
	}
	if len(remove) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(remove, ", "))
	}
	if len(clauses) == 0 {
		return nil, errors.New("nothing to change")
	}
	if len(values) == 0 {
		values = nil
	}
	t := s.begin()
	t.update(animalKey(owner, animal), strings.Join(clauses, " "), "attribute_exists(PK)", values, ErrUnknownAnimal)
	if err := s.commit(ctx, t); err != nil {
		return nil, err
	}
	item, err := get[animalItem](ctx, s, animalKey(owner, animal))
	return item.animal(), err
}
