package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// writeResults computes the results of one attempt to judge, and writes their sheets and pages under a new verdict. It
// writes plain items, at most ParallelWrites at a time. After it returns, strongly consistent reads find all of them.
//
// An item is written only if it does not exist: a lost write may arrive late, when the item has another username. Only
// this attempt knows the verdict, so an item that exists is its own.
func (s *Store) writeResults(ctx context.Context, show game.ID, at game.Instant, entries []records.EntryItem, ranked []game.Contestant) (records.Results, error) {
	r, err := records.NewResults(records.NewVerdict(show, at), entries, ranked)
	if err != nil {
		return r, err
	}
	_, err = table.InParallel(ctx, ParallelWrites, r.Items, func(ctx context.Context, item any) (written bool, err error) {
		err = s.Table.Put(ctx, item, table.Absent)
		if errors.Is(err, table.ErrRefused) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return r, fmt.Errorf("write the results: %w", err)
	}
	return r, nil
}
