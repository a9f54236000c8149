package store

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Animal returns an animal of a user, or ErrUnknownAnimal if the user has no such animal. One round trip, 1 RCU.
func (s *Store) Animal(ctx context.Context, owner, animal game.ID) (*game.Animal, error) {
	item, err := table.Get[records.AnimalItem](ctx, s.Table, records.AnimalKey(owner, animal))
	if err == nil && item == nil {
		err = ErrUnknownAnimal
	}
	return item.Animal(), err
}

// Animals returns the animals of a user, in the order of their ids; the list is never nil. One round trip, 1 RCU for
// the three animals of a new user.
func (s *Store) Animals(ctx context.Context, owner game.ID) ([]game.Animal, error) {
	return table.QueryAs(ctx, s.Table, table.Prefixed(records.UserPK(owner), records.AnimalPrefix), func(i *records.AnimalItem) game.Animal { return *i.Animal() })
}
