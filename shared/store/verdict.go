package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// results are the results of one attempt to judge a show.
type results struct {
	verdict verdict
	entries int
	sheets  int   // 0: own has the results
	own     sheet // the results by player, for the show's own item
	items   []any // the sheets and pages
}

// newResults computes the results of all entries, ranked or not.
func newResults(v verdict, items []entryItem, ranked []game.Contestant) (results, error) {
	placings := make(map[game.ID]placing, len(ranked))
	for _, c := range ranked {
		placings[c.Animal] = placing{place: c.Rank - 1, ranked: true, score: c.Score}
	}
	entries := make([]game.Entry, len(items))
	for i := range items {
		entries[i] = items[i].entry(v.show)
		placings[entries[i].AnimalID].giveTo(&entries[i])
	}
	game.SortEntries(entries)
	byPlayer := make([]result, len(entries))
	for i := range entries {
		p := placings[entries[i].AnimalID]
		p.place, p.mark = i, markOf(entries[i].AnimalID)
		byPlayer[i] = result{entries[i].PlayerID, p}
	}
	r := results{verdict: v, entries: len(entries), sheets: planSheets(len(entries))}
	packed, err := packSheets(byPlayer, r.sheets)
	if err != nil {
		return r, err
	}
	if r.sheets == 0 {
		r.own = packed[0]
	}
	for k := range r.sheets {
		r.items = append(r.items, sheetItem{key: v.sheetKey(k), Results: packed[k]})
	}
	pages, err := pageItems(v, entries)
	for i := range pages {
		r.items = append(r.items, pages[i])
	}
	return r, err
}

// writeResults computes the results of one attempt to judge, and writes their sheets and pages under a new verdict. It
// writes plain items, at most parallelWrites at a time. After it returns, strongly consistent reads find all of them.
//
// An item is written only if it does not exist: a lost write may arrive late, when the item has another username. Only
// this attempt knows the verdict, so an item that exists is its own.
func (s *Store) writeResults(ctx context.Context, show game.ID, at game.Instant, entries []entryItem, ranked []game.Contestant) (results, error) {
	r, err := newResults(newVerdict(show, at), entries, ranked)
	if err != nil {
		return r, err
	}
	_, err = inParallelMax(ctx, parallelWrites, r.items, func(ctx context.Context, item any) (*dynamodb.PutItemOutput, error) {
		av, err := marshal(item)
		if err != nil {
			return nil, err
		}
		out, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: av, ConditionExpression: aws.String("attribute_not_exists(PK)")})
		if errors.As(err, new(*types.ConditionalCheckFailedException)) {
			return out, nil
		}
		return out, err
	})
	if err != nil {
		return r, fmt.Errorf("write the results: %w", err)
	}
	return r, nil
}
