package main

import (
	"context"
	"os/user"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// changing runs an action that makes one change, which is recorded under whoever runs the command.
func (a *app) changing(do func(ctx context.Context, s *store.Store, o store.Operator, args []string) error) func(context.Context, []string) error {
	return a.with(func(ctx context.Context, s *store.Store, args []string) error {
		o, err := a.operator(ctx, s)
		if err != nil {
			return err
		}
		return do(ctx, s, o, args)
	})
}

// changingUser is changing, for the user that the first argument names.
func (a *app) changingUser(do func(ctx context.Context, s *store.Store, o store.Operator, user *game.Account) error) func(context.Context, []string) error {
	return a.withUser(func(ctx context.Context, s *store.Store, user *game.Account) error {
		o, err := a.operator(ctx, s)
		if err != nil {
			return err
		}
		return do(ctx, s, o, user)
	})
}

// operator returns whoever runs the command, about to make a change now.
func (a *app) operator(_ context.Context, s *store.Store) (store.Operator, error) {
	who, err := user.Current()
	if err != nil {
		return store.Operator{}, err
	}
	return s.Operator(store.NewChange(who.Username, "", a.now())), nil
}
