package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// readPatience limits one read with its retries, and some plain writes, so that a call answers within seconds if
	// the table is lost. For a patient read (see Patiently) it limits only the time in which the table does nothing but
	// fail.
	readPatience = 3 * time.Second
	// busyPatience limits how long any other read is repeated after the table has throttled it once. A partition serves
	// 3,000 RCU per second. If it does not serve a read within a second, it has too many reads. The read then returns
	// game.ErrBusy, so that the caller comes back later.
	busyPatience = time.Second
	// batchGetLimit is how many items one BatchGetItem may name.
	batchGetLimit = 100
	// parallelReads is the most requests that one group of reads sends at once. entriesOf nests two groups.
	parallelReads = 16
)

// Store reads and writes the table. It is safe for concurrent use.
type Store struct {
	db    *dynamodb.Client
	table string
	clock func() time.Time
	// chance determines the waits between attempts, and between looks at a lease.
	chance Chance
	torn   *tornShows
	most   int64 // the ceiling of a show's entries
}

// Ceiling is the most entries that a show accepts. On a new table, a judging of so many ends within the gateway's 30
// seconds, with a margin (docs/scale.md).
const Ceiling = 250_000

// New returns the store in the given table. The client must have been made with ClientOptions. The clock is for leases,
// verdicts, patience with lists, and operators' records. The rules use the time that a call passes.
func New(db *dynamodb.Client, table string, clock func() time.Time) *Store {
	return &Store{db: db, table: table, clock: clock, chance: atRandom, torn: &tornShows{}, most: Ceiling}
}

// WithChance returns the same store with waits that c determines, so that a test waits equally in every run. It does
// not affect the waits between the SDK's attempts of a request, which the client's Retryer determines.
func (s *Store) WithChance(c Chance) *Store {
	other := *s
	other.chance = c
	return &other
}

// WithCeiling returns the same store with another ceiling than Ceiling, for tests.
func (s *Store) WithCeiling(entries int) *Store {
	other := *s
	other.most = int64(entries)
	return &other
}

// attributes is an item in the SDK's form.
type attributes = map[string]types.AttributeValue

func marshal(item any) (attributes, error) {
	av, err := attributevalue.MarshalMap(item)
	if err != nil {
		return nil, fmt.Errorf("marshal %T: %w", item, err)
	}
	return av, nil
}

// errDamaged means that a record is missing or has a content that no program writes.
var errDamaged = errors.New("unmarshal")

// damage is an errDamaged with a text of its own.
type damage string

func (d damage) Error() string      { return string(d) }
func (damage) Is(target error) bool { return target == errDamaged }

func unmarshal[T any](av attributes) (*T, error) {
	item := new(T)
	if err := attributevalue.UnmarshalMap(av, item); err != nil {
		return nil, fmt.Errorf("%w %T: %w", errDamaged, item, err)
	}
	return item, nil
}

// decodeAll turns items into records; the list is never nil.
func decodeAll[Item, Record any](items []attributes, decode func(*Item) Record) ([]Record, error) {
	records := make([]Record, len(items))
	for i, av := range items {
		item, err := unmarshal[Item](av)
		if err != nil {
			return nil, err
		}
		records[i] = decode(item)
	}
	return records, nil
}

// batch holds the items that a batchGet has found.
type batch map[key]attributes

// in returns the item with key k, or nil if the batchGet has not found it.
func in[T any](b batch, k key) (*T, error) {
	av, ok := b[k]
	if !ok {
		return nil, nil
	}
	return unmarshal[T](av)
}

// get returns one item, or nil if it does not exist. It costs 1 RCU per 4 KB.
func get[T any](ctx context.Context, s *Store, k key) (*T, error) {
	ctx, cancel := withPatience(ctx)
	defer cancel()
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: k.attributes(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", k.kind(), err)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return unmarshal[T](out.Item)
}

// getSettled returns one item, or nil if it does not exist. While a transaction becomes visible, get may return an item
// as it was before, although other items of the transaction are visible. getSettled returns errConflict instead, as
// long as the transaction holds the item, and also if the table throttles the item. It costs 2 RCU per 4 KB.
func getSettled[T any](ctx context.Context, s *Store, k key) (*T, error) {
	ctx, cancel := withPatience(ctx)
	defer cancel()
	out, err := s.db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{
		TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: &s.table, Key: k.attributes()}}},
	})
	switch {
	case isPassing(err):
		return nil, errConflict
	case err != nil:
		return nil, fmt.Errorf("get settled %s: %w", k.kind(), err)
	case len(out.Responses[0].Item) == 0:
		return nil, nil
	}
	return unmarshal[T](out.Responses[0].Item)
}

// batchGet reads any number of distinct items, in parallel requests of up to 100. Each item costs at least 1 RCU. The
// projection is "" for whole items, or includes PK and SK.
func (s *Store) batchGet(ctx context.Context, projection string, keys ...key) (batch, error) {
	return s.batchGetAs(ctx, true, projection, keys)
}

// batchGetAs is batchGet, optionally with eventually consistent reads, which cost half.
func (s *Store) batchGetAs(ctx context.Context, consistent bool, projection string, keys []key) (batch, error) {
	request := types.KeysAndAttributes{ConsistentRead: &consistent, ProjectionExpression: optional(projection)}
	found := make(batch, len(keys))
	once := func(ctx context.Context, keys []key) ([]attributes, error) { return s.batchGetOnce(ctx, request, keys) }
	parts, err := inParallelMax(ctx, parallelReads, slices.Collect(slices.Chunk(keys, batchGetLimit)), once)
	if err != nil {
		return nil, err
	}
	for _, av := range slices.Concat(parts...) {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		found[*k] = av
	}
	return found, nil
}

// batchGetOnce reads up to 100 items, and requests unprocessed ones again.
func (s *Store) batchGetOnce(ctx context.Context, request types.KeysAndAttributes, keys []key) ([]attributes, error) {
	ctx, cancel := withPatience(ctx)
	defer cancel()
	request.Keys = make([]attributes, len(keys))
	for i, k := range keys {
		request.Keys[i] = k.attributes()
	}
	pending := map[string]types.KeysAndAttributes{s.table: request}
	var items []attributes
	for attempt := 0; len(pending) > 0; attempt++ {
		if attempt > 0 {
			tally.Add(ctx, tally.Retries, 1)
			throttled(ctx)
			if err := s.backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("batch get: %w", err)
			}
		}
		out, err := s.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: pending})
		if err != nil {
			return nil, fmt.Errorf("batch get: %w", err)
		}
		items = append(items, out.Responses[s.table]...)
		pending = out.UnprocessedKeys
	}
	return items, nil
}

// span is a part of one partition: the items with from <= SK <= to, or all of them if from is empty.
type span struct {
	PK         pk
	from, to   sk
	projection string
	backward   bool // the last sort key first
}

// prefixed returns the span of all sort keys that begin with prefix, which must be ASCII.
func prefixed(p pk, prefix sk) span { return span{PK: p, from: prefix, to: prefix + "\U0010FFFF"} }

// query reads one page of the span after the sort key `after` ("" for the beginning), at most limit items (0: as many
// as 1 MB holds). It also returns the sort key after which the next page begins, or "" if there are no more items.
func (s *Store) query(ctx context.Context, sp span, after sk, limit int32) ([]attributes, sk, error) {
	condition, values := "PK = :pk", attributes{":pk": str(string(sp.PK))}
	if sp.from != "" {
		condition += " AND SK BETWEEN :from AND :to"
		values[":from"], values[":to"] = str(string(sp.from)), str(string(sp.to))
	}
	in := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: &condition, ExpressionAttributeValues: values,
	}
	in.ProjectionExpression = optional(sp.projection)
	if sp.backward {
		in.ScanIndexForward = aws.Bool(false)
	}
	if after != "" {
		in.ExclusiveStartKey = key{sp.PK, after}.attributes()
	}
	if limit > 0 {
		in.Limit = &limit
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	out, err := s.db.Query(ctx, in)
	if err != nil {
		return nil, "", fmt.Errorf("query %s: %w", key{sp.PK, sp.from}.kind(), err)
	}
	last, err := unmarshal[key](out.LastEvaluatedKey) // an empty key after the last page
	if err != nil {
		return nil, "", err
	}
	return out.Items, last.SK, nil
}

// queryPage is query, and turns the items into records; the list is never nil.
func queryPage[Item, Record any](ctx context.Context, s *Store, sp span, after sk, limit int32, decode func(*Item) Record) ([]Record, sk, error) {
	items, last, err := s.query(ctx, sp, after, limit)
	if err != nil {
		return nil, "", err
	}
	records, err := decodeAll(items, decode)
	return records, last, err
}

// queryAll reads the whole span, page after page.
func (s *Store) queryAll(ctx context.Context, sp span) ([]attributes, error) {
	return allPages(func(after sk) ([]attributes, sk, error) { return s.query(ctx, sp, after, 0) })
}

// queryAs is queryAll, and turns the items into records. It decodes each page before it reads the next one: items in
// the SDK's form take several times the memory.
func queryAs[Item, Record any](ctx context.Context, s *Store, sp span, decode func(*Item) Record) ([]Record, error) {
	return allPages(func(after sk) ([]Record, sk, error) { return queryPage(ctx, s, sp, after, 0, decode) })
}

// allPages returns the records of all pages; the list is never nil. page returns a page as query does.
func allPages[Record any](page func(after sk) (records []Record, last sk, err error)) ([]Record, error) {
	all := []Record{}
	for after := sk(""); ; {
		records, last, err := page(after)
		if err != nil {
			return nil, err
		}
		if all = append(all, records...); last == "" {
			return all, nil
		}
		after = last
	}
}

// inParallelMax calls do with each of the inputs, at most limit at once, and returns the outputs in the same order. The
// first error ends the context of the other calls. inParallelMax returns that error, with the outputs of all calls.
func inParallelMax[In, Out any](ctx context.Context, limit int, inputs []In, do func(context.Context, In) (Out, error)) ([]Out, error) {
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

// Refusals of operations that are only for operators.
var (
	ErrUnknownSeason = errors.New("there is no such season")
	ErrUnknownShow   = errors.New("there is no such show")
	ErrUnknownUser   = errors.New("there is no such user")
	ErrDeletedUser   = errors.New("the user has been deleted")
	ErrUnknownAnimal = errors.New("the user has no such animal")
	ErrUnknownRow    = errors.New("the user's ledger has no such row")
	ErrExists        = errors.New("the id is already in use")
)
