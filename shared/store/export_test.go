package store

import (
	"context"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// Fill puts n entries of as many players into an open show, as if they had entered: too many for a test to enter one by one. Their players have
// one animal each and are no accounts.
func (s *Store) Fill(ctx context.Context, show game.Show, gates, n int) error {
	counts := make([]int64, gates)
	var items []any
	for range n {
		player := game.NewID()
		animal := game.Starters(rand.New(rand.NewPCG(rand.Uint64(), 0)), player, game.NewID(), 0)[0]
		counts[gateOf(animal.ID, gates)]++
		items = append(items,
			newAnimalItem(animal),
			entryItem{
				key: entryKey(show.ID, animal.ID, gates), ID: game.NewID(), Player: player, PlayerUsername: string(player)[:20],
				AnimalName: animal.Name, Breed: animal.Breed, RarityTier: animal.RarityTier,
			},
			participationItem{key: participationKey(player, show.SeasonID, show.ID), Animals: []game.ID{animal.ID}, Gates: gates})
	}
	for k, count := range counts {
		items = append(items, gateItem{key: gateKey(show.ID, k), Open: true, ClosesAt: show.EntryClosesAt, Count: count})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for len(items) > 0 {
		part := items[:min(25, len(items))]
		items = items[len(part):]
		group.Go(func() error { return s.batchWrite(ctx, part) })
	}
	return group.Wait()
}

func (s *Store) batchWrite(ctx context.Context, items []any) error {
	var requests []types.WriteRequest
	for _, item := range items {
		av, err := marshal(item)
		if err != nil {
			return err
		}
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: av}})
	}
	pending := map[string][]types.WriteRequest{s.table: requests}
	for len(pending) > 0 {
		out, err := s.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: pending})
		if err != nil {
			return err
		}
		pending = out.UnprocessedItems
	}
	return nil
}
