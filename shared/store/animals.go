package store

import (
	"context"

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
