package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/store"
)

// patiently runs an action that may read the whole table, and takes as long as it takes: each read has its patience,
// and all of them together have none.
func (a *app) patiently(do func(ctx context.Context, s *store.Store, args []string) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		s, err := a.store(ctx)
		if err != nil {
			return err
		}
		if err := s.CheckLayout(ctx); err != nil {
			return err
		}
		return do(ctx, s, args)
	}
}
