package store

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
)

// Animal returns an animal of a user, or ErrUnknownAnimal if the user has no such animal. One round trip, 1 RCU.
func (s *Store) Animal(ctx context.Context, owner, animal game.ID) (*game.Animal, error) {
	item, err := get[animalItem](ctx, s.table, animalKey(owner, animal))
	if err == nil && item == nil {
		err = ErrUnknownAnimal
	}
	return item.animal(), err
}

// Animals returns the animals of a user, in the order of their ids; the list is never nil. One round trip, 1 RCU for
// the three animals of a new user.
func (s *Store) Animals(ctx context.Context, owner game.ID) ([]game.Animal, error) {
	return queryAs(ctx, s.table, prefixed(userPK(owner), animalPrefix), func(i *animalItem) game.Animal { return *i.animal() })
}
