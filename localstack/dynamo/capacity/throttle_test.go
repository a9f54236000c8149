package capacity_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// checkThrottled compares an error with the documented ones (API Reference, ThrottlingReason).
func (f *fixture) checkThrottled(t *testing.T, what string, err error, byTable bool, reason string) {
	t.Helper()
	var reasons []types.ThrottlingReason
	var ofPartition *types.ProvisionedThroughputExceededException
	var ofTable *types.ThrottlingException
	switch {
	case errors.As(err, &ofPartition) && !byTable:
		reasons = ofPartition.ThrottlingReasons
	case errors.As(err, &ofTable) && byTable:
		reasons = ofTable.ThrottlingReasons
	default:
		t.Errorf("%s: %v", what, err)
		return
	}
	if len(reasons) != 1 || aws.ToString(reasons[0].Reason) != reason || !strings.HasSuffix(aws.ToString(reasons[0].Resource), ":table/"+*f.name) {
		t.Errorf("%s: the reasons are %+v", what, reasons)
	}
	if retry.NewStandard().IsErrorRetryable(err) != true {
		t.Errorf("%s: the SDK does not retry it", what)
	}
}

const (
	readReason  = "TableReadKeyRangeThroughputExceeded"
	writeReason = "TableWriteKeyRangeThroughputExceeded"
)

// single returns every operation that has no items to give back, for the partition a.
func (f *fixture) single() (reads, writes map[string]func(context.Context) error) {
	reads = map[string]func(context.Context) error{
		"GetItem": func(ctx context.Context) error { return f.get(ctx, "a", "1") },
		"Query":   func(ctx context.Context) error { _, err := f.query(ctx, "a"); return err },
	}
	writes = map[string]func(context.Context) error{
		"PutItem": func(ctx context.Context) error {
			_, err := f.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: keyOf("a", "1")})
			return err
		},
		"UpdateItem": func(ctx context.Context) error {
			_, err := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: f.name, Key: keyOf("a", "1")})
			return err
		},
		"DeleteItem": func(ctx context.Context) error {
			_, err := f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf("a", "1")})
			return err
		},
	}
	return reads, writes
}

func TestThrottledPartitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 2, PartitionWrite: 1})
	reads, writes := f.single()
	for reason, operations := range map[string]map[string]func(context.Context) error{readReason: reads, writeReason: writes} {
		for name, do := range operations {
			f.clock.move(time.Hour)
			for err := error(nil); err == nil; err = do(t.Context()) {
			}
			sent := f.wire.count(name)
			f.checkThrottled(t, name, do(t.Context()), false, reason)
			if f.wire.count(name) != sent {
				t.Errorf("%s: a refused one has reached the engine", name)
			}
			f.clock.move(time.Second)
			if err := do(t.Context()); err != nil {
				t.Errorf("%s a second later: %v", name, err)
			}
		}
	}
	f.clock.move(time.Hour)
	for range 2 {
		if err := f.get(t.Context(), "a", "1"); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(f.get(t.Context(), "b", "1"), writes["PutItem"](t.Context())); err != nil {
		t.Errorf("another partition, and writes of this one: %v", err)
	}
	if _, err := f.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name}); err != nil {
		t.Errorf("a scan: %v", err)
	}
}

func TestThrottledTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{TableRead: 2, TableWrite: 2})
	reads, writes := f.single()
	reads["Scan"] = func(ctx context.Context) error {
		_, err := f.db.Scan(ctx, &dynamodb.ScanInput{TableName: f.name})
		return err
	}
	reads["BatchGetItem"] = func(ctx context.Context) error { _, err := f.batchGet(ctx, "a/1", "b/1"); return err }
	writes["BatchWriteItem"] = func(ctx context.Context) error {
		_, err := f.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			*f.name: {{PutRequest: &types.PutRequest{Item: keyOf("a", "1")}}},
		}})
		return err
	}
	for reason, operations := range map[string]map[string]func(context.Context) error{readReason: reads, writeReason: writes} {
		for name, do := range operations {
			f.clock.move(time.Hour)
			for err := error(nil); err == nil; err = do(t.Context()) {
			}
			f.checkThrottled(t, name, do(t.Context()), true, reason)
		}
	}
}

// What a page takes is known when it has been read: it is let in by the last unit, and others wait for its debt to be
// paid.
func TestAPageIsChargedWhatItTakes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 10})
	for i := range 4 {
		f.put(t, sized("a", fmt.Sprint(i), kilobytes(100)))
	}
	for range 9 {
		if err := f.get(t.Context(), "a", "none"); err != nil {
			t.Fatal(err)
		}
	}
	page, err := f.query(t.Context(), "a")
	if err != nil || len(page.Items) != 4 {
		t.Fatal(page, err)
	}
	f.clock.move(9*time.Second + 850*time.Millisecond) // 98.5 of the 99 units that are owed
	f.checkThrottled(t, "before the debt is paid", f.get(t.Context(), "a", "none"), false, readReason)
	f.clock.move(100 * time.Millisecond)
	if err := f.get(t.Context(), "a", "none"); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// BatchGetItem: what cannot be read is handed back, and it fails only if nothing can (API Reference, BatchGetItem).
func TestUnprocessedKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 5})
	var all []string
	for _, pk := range []string{"a", "b", "c"} {
		for i := range 4 {
			f.put(t, keyOf(pk, fmt.Sprint(i)))
			all = append(all, fmt.Sprint(pk, "/", i))
		}
	}
	spend := func(pk string, n int) {
		t.Helper()
		for range n {
			if err := f.get(t.Context(), pk, "none"); err != nil {
				t.Fatal(err)
			}
		}
	}
	spend("a", 5)
	spend("b", 3)
	f.Reset()
	found, left := f.readBatch(t, all...)
	slices.Sort(found)
	if !slices.Equal(found, append([]string{"b/0", "b/1"}, all[8:]...)) || !slices.Equal(left, []string{"a/0", "a/1", "a/2", "a/3", "b/2", "b/3"}) {
		t.Errorf("found %v, left %v", found, left)
	}
	if c := f.Snapshot().Of("BatchGetItem"); c != (capacity.Counts{Requests: 1, Unprocessed: 6, Read: 6}) {
		t.Errorf("metered: %+v", c)
	}
	_, err := f.batchGet(t.Context(), left...)
	f.checkThrottled(t, "none can be read", err, false, readReason)

	f.clock.move(time.Second)
	if found, left := f.readBatch(t, left...); len(found) != 6 || len(left) != 0 {
		t.Errorf("a second later: found %v, left %v", found, left)
	}
}

// readBatch reads keys with a projection that UnprocessedKeys must keep, and returns what was found and what was left.
func (f *fixture) readBatch(t *testing.T, keys ...string) (found, left []string) {
	t.Helper()
	out, err := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*f.name: {
		Keys: split(keys), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("#p, SK"), ExpressionAttributeNames: map[string]string{"#p": "PK"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	unprocessed, some := out.UnprocessedKeys[*f.name]
	if some && (len(unprocessed.Keys) == 0 || !aws.ToBool(unprocessed.ConsistentRead) ||
		aws.ToString(unprocessed.ProjectionExpression) != "#p, SK" || unprocessed.ExpressionAttributeNames["#p"] != "PK") {
		t.Errorf("unprocessed: %+v", unprocessed)
	}
	return names(out.Responses[*f.name]), names(unprocessed.Keys)
}

// What an item of a batch takes is charged to its own partition.
func TestABatchIsChargedToItsPartitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{})
	f.put(t, sized("large", "1", kilobytes(39)), sized("large", "2", kilobytes(3)), keyOf("small", "1"))
	if _, err := f.batchGet(t.Context(), "small/1", "large/2", "none/1", "large/1"); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, p := range f.Snapshot().Hottest {
		got[p.Key] = p.Read
	}
	if got["large"] != 11 || got["small"] != 1 || got["none"] != 1 {
		t.Errorf("%v", got)
	}
}

// BatchGetItem returns at most 1 MB of a partition; Query pages there, too.
func TestOneMegabyteOfAPartition(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{})
	for _, key := range []string{"a/1", "a/2", "a/3", "b/1", "c/1"} {
		pk, sk, _ := strings.Cut(key, "/")
		f.put(t, sized(pk, sk, kilobytes(380)))
	}
	out, err := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		RequestItems: map[string]types.KeysAndAttributes{*f.name: {Keys: split([]string{"a/1", "b/1", "a/2", "c/1", "a/3"}), ConsistentRead: aws.Bool(true)}}})
	if err != nil {
		t.Fatal(err)
	}
	found, left := names(out.Responses[*f.name]), names(out.UnprocessedKeys[*f.name].Keys)
	if all := slices.Sorted(slices.Values(slices.Concat(found, left))); !slices.Equal(all, []string{"a/1", "a/2", "a/3", "b/1", "c/1"}) ||
		len(left) != 1 || !strings.HasPrefix(left[0], "a/") {
		t.Errorf("found %v, left %v", found, left)
	}
	if c := f.Snapshot().Total(); c.Read != 4*95 || c.Unprocessed != 1 || len(out.ConsumedCapacity) != 1 ||
		aws.ToFloat64(out.ConsumedCapacity[0].CapacityUnits) != 4*95 {
		t.Errorf("four items of 95 units: metered %+v, told %v", c, out.ConsumedCapacity)
	}
	page, err := f.query(t.Context(), "a")
	if err != nil || len(page.Items) != 3 && page.LastEvaluatedKey == nil {
		t.Errorf("a query returned %d items: %v", len(page.Items), err)
	}
}

// A write batch hands back what its partitions refuse.
func TestUnprocessedItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionWrite: 1})
	write := func(keys ...string) ([]string, error) {
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}
		for _, k := range split(keys) {
			in.RequestItems[*f.name] = append(in.RequestItems[*f.name], types.WriteRequest{PutRequest: &types.PutRequest{Item: k}})
		}
		out, err := f.db.BatchWriteItem(t.Context(), in)
		if err != nil {
			return nil, err
		}
		var left []attributes
		for _, r := range out.UnprocessedItems[*f.name] {
			left = append(left, r.PutRequest.Item)
		}
		return names(left), nil
	}
	left, err := write("a/1", "b/1", "a/2", "c/1")
	if err != nil || !slices.Equal(left, []string{"a/2"}) {
		t.Errorf("left %v, %v", left, err)
	}
	_, err = write("a/2", "b/2")
	f.checkThrottled(t, "nothing can be written", err, false, writeReason)
	all, err := f.direct.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name})
	if got := slices.Sorted(slices.Values(names(all.Items))); err != nil || !slices.Equal(got, []string{"a/1", "b/1", "c/1"}) {
		t.Errorf("the table has %v, %v", got, err)
	}
}

// checkCancelled compares the reasons of a cancellation, item by item (API Reference, TransactionCanceledException).
func checkCancelled(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Errorf("%s: %v", what, err)
		return
	}
	var codes []string
	for _, r := range cancelled.CancellationReasons {
		codes = append(codes, aws.ToString(r.Code))
		if (aws.ToString(r.Code) == "None") != (r.Message == nil) || r.Item != nil {
			t.Errorf("%s: the reason %+v", what, r)
		}
	}
	if !slices.Equal(codes, want) || !strings.Contains(cancelled.ErrorMessage(), "["+strings.Join(want, ", ")+"]") {
		t.Errorf("%s: %v %q, want %v", what, codes, cancelled.ErrorMessage(), want)
	}
}

func TestThrottledTransactions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionWrite: 2, TableWrite: 8, PartitionRead: 2})
	if err := f.transact(t.Context(), "", f.updating("hot", "1")); err != nil {
		t.Fatal(err)
	}
	f.Reset()
	err := f.transact(t.Context(), "", f.putting(keyOf("a", "1")), f.checking("hot", "2", absent), f.updating("b", "1"), f.deleting("hot", "1"))
	checkCancelled(t, "a hot partition", err, "None", "ThrottlingError", "None", "ThrottlingError")
	if c := f.Snapshot().Total(); c != (capacity.Counts{Requests: 1, Throttled: 1}) {
		t.Errorf("it costs nothing: %+v", c)
	}
	if out, err := f.direct.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name}); err != nil || len(out.Items) != 1 {
		t.Errorf("something was applied: %v %v", out.Items, err)
	}
	for i := range 3 {
		if err := f.transact(t.Context(), "", f.updating(fmt.Sprint(i), "1")); err != nil {
			t.Fatal(err)
		}
	}
	checkCancelled(t, "the table", f.transact(t.Context(), "", f.putting(keyOf("a", "1")), f.updating("b", "1")), "ThrottlingError", "ThrottlingError")
	read := func() error {
		_, err := f.db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: f.name, Key: keyOf("hot", "1")}}, {Get: &types.Get{TableName: f.name, Key: keyOf("b", "1")}},
		}})
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	checkCancelled(t, "a reading transaction", read(), "ThrottlingError", "ThrottlingError")
}
