package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// batchGetLimit is how many items one BatchGetItem may name.
	batchGetLimit = 100
	// ParallelReads is the most requests that one group of reads sends at once. Groups may be nested once.
	ParallelReads = 16
)

// Get returns one item, or nil if it does not exist. It costs 1 RCU per 4 KB.
func Get[Item any](ctx context.Context, t *Table, k Key) (*Item, error) {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	out, err := t.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: k.Attributes(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", k.kind(), err)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return Unmarshal[Item](out.Item)
}

// GetSettled returns one item, or nil if it does not exist. While a transaction becomes visible, Get may return an item
// as it was before, although other items of the transaction are visible. GetSettled returns ErrHeld instead, as long as
// the transaction holds the item, and also if the table throttles the item. It costs 2 RCU per 4 KB.
func GetSettled[Item any](ctx context.Context, t *Table, k Key) (*Item, error) {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	out, err := t.db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{
		TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: &t.name, Key: k.Attributes()}}},
	})
	switch {
	case isPassing(err):
		return nil, ErrHeld
	case err != nil:
		return nil, fmt.Errorf("get settled %s: %w", k.kind(), err)
	case len(out.Responses[0].Item) == 0:
		return nil, nil
	}
	return Unmarshal[Item](out.Responses[0].Item)
}

// Batch holds the items that a BatchGet has found.
type Batch map[Key]Attributes

// In returns the item with key k, or nil if the BatchGet has not found it.
func In[Item any](b Batch, k Key) (*Item, error) {
	av, ok := b[k]
	if !ok {
		return nil, nil
	}
	return Unmarshal[Item](av)
}

// BatchGet reads any number of distinct items, in parallel requests of up to 100. Each item costs at least 1 RCU. The
// projection is "" for whole items, or includes PK and SK.
func (t *Table) BatchGet(ctx context.Context, projection string, keys ...Key) (Batch, error) {
	return t.batchGet(ctx, true, projection, keys)
}

// BatchGetEventually is BatchGet with eventually consistent reads, which cost half.
func (t *Table) BatchGetEventually(ctx context.Context, projection string, keys ...Key) (Batch, error) {
	return t.batchGet(ctx, false, projection, keys)
}

func (t *Table) batchGet(ctx context.Context, consistent bool, projection string, keys []Key) (Batch, error) {
	request := types.KeysAndAttributes{ConsistentRead: &consistent, ProjectionExpression: optional(projection)}
	found := make(Batch, len(keys))
	once := func(ctx context.Context, keys []Key) ([]Attributes, error) { return t.batchGetOnce(ctx, request, keys) }
	parts, err := InParallel(ctx, ParallelReads, slices.Collect(slices.Chunk(keys, batchGetLimit)), once)
	if err != nil {
		return nil, err
	}
	for _, av := range slices.Concat(parts...) {
		k, err := Unmarshal[Key](av)
		if err != nil {
			return nil, err
		}
		found[*k] = av
	}
	return found, nil
}

// batchGetOnce reads up to 100 items, and requests unprocessed ones again.
func (t *Table) batchGetOnce(ctx context.Context, request types.KeysAndAttributes, keys []Key) ([]Attributes, error) {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	request.Keys = make([]Attributes, len(keys))
	for i, k := range keys {
		request.Keys[i] = k.Attributes()
	}
	pending := map[string]types.KeysAndAttributes{t.name: request}
	var items []Attributes
	for attempt := 0; len(pending) > 0; attempt++ {
		if attempt > 0 {
			tally.Add(ctx, tally.Retries, 1)
			throttled(ctx)
			if err := t.Backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("batch get: %w", err)
			}
		}
		out, err := t.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: pending})
		if err != nil {
			return nil, fmt.Errorf("batch get: %w", err)
		}
		items = append(items, out.Responses[t.name]...)
		pending = out.UnprocessedKeys
	}
	return items, nil
}

// InParallel calls do with each of the inputs, at most limit at once, and returns the outputs in the same order. The
// first error ends the context of the other calls. InParallel returns that error, with the outputs of all calls.
func InParallel[In, Out any](ctx context.Context, limit int, inputs []In, do func(context.Context, In) (Out, error)) ([]Out, error) {
	outputs := make([]Out, len(inputs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	for i, input := range inputs {
		group.Go(func() (err error) {
			outputs[i], err = do(ctx, input)
			return err
		})
	}
	err := group.Wait()
	return outputs, err
}
