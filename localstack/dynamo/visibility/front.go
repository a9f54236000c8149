// Package visibility gives a local DynamoDB the cloud's two-phase commit, which no local engine has. A transaction
// holds (locks) its items, conflicts with others, and becomes visible item by item. The package's driver, such as a
// test, decides which items of a transaction a read sees, and when the transaction ends.
//
//	front := visibility.New(http.DefaultTransport)
//	request, err := protocol.Parse(r)
//	if request.Changes() {
//		answer, commit, err := front.Write(request) // then commit.Show(...), commit.End()
//	} else {
//		answer, err := front.Read(request, func(protocol.Key) bool { return false })
//	}
//
// A transaction that the engine has applied is an open Commit until the driver ends it. Each item that the transaction
// wrote is first hidden, and later visible. While an item is hidden, the engine has its old version, and the Commit the
// new one. So the engine itself answers every read. The item of a condition check is not hidden, but held until the
// commit ends. Other requests can write a visible item even if its commit is still open, because DynamoDB also releases
// items one by one.
//
//	                  meets an item that a commit hides or checks
//	GetItem, Query    answers as before the commit, unless the driver shows the item
//	BatchGetItem      the same
//	TransactGetItems  TransactionCanceledException, TransactionConflict
//	plain writes      TransactionConflictException
//	transactions      TransactionCanceledException, TransactionConflict; TransactionInProgressException for its token
//
// The package has no clock: package capacity has capacity and latencies. Before and after each transaction, the package
// reads the items. It also reads an item before the first plain write of that item. All reads are strongly consistent.
// The package does not see writes that reach the engine another way. All items of a batch or page are read at one
// instant, whereas DynamoDB promises this only for each item.
package visibility

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Front sends requests about one table to an engine, and hides items of open commits from reads. It is not safe for
// concurrent use: its driver makes one request at a time.
type Front struct {
	protocol.Engine

	held    holds.Table              // the items of open transactions
	hidden  map[protocol.Key]*Commit // the commits that hide items
	written []protocol.Item          // since New or Undo, in the order of their first writes
	before  versions                 // of the written items, before their first writes
	last    *protocol.Request        // the last write: its table, and headers that the engine accepts
	epoch   int                      // how often Undo was called
}

// versions has the JSON of items by their keys, and "" for an item that does not exist.
type versions map[protocol.Key]string

// New returns a Front that sends requests to the engine with next.
func New(next http.RoundTripper) *Front {
	return &Front{
		Engine: protocol.Engine{Next: next}, hidden: map[protocol.Key]*Commit{}, before: versions{},
	}
}

// Commit is a transaction that the engine has applied and that has not ended.
type Commit struct {
	front *Front
	hold  *holds.Hold
	items []protocol.Item // that it has written
	after versions        // of these items
}

// Hidden returns the keys of the commit's items that are still hidden, sorted.
func (c *Commit) Hidden() (keys []protocol.Key) {
	for k, by := range c.front.hidden {
		if by == c {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, protocol.Key.Compare)
	return keys
}

// Show makes items of the commit visible from now on. It ignores visible items, and items of other commits. An error
// means that the engine does not answer.
func (c *Commit) Show(keys ...protocol.Key) error {
	shown := slices.DeleteFunc(slices.Clone(c.items), func(i protocol.Item) bool {
		return c.front.hidden[i.Key] != c || !slices.Contains(keys, i.Key)
	})
	err := c.front.store(context.Background(), shown, c.after)
	for _, i := range shown {
		delete(c.front.hidden, i.Key)
		c.front.held.Free(c.hold, i.Key)
	}
	return err
}

// End makes all items of the commit visible and releases them. A second End has no effect.
func (c *Commit) End() error {
	err := c.Show(c.Hidden()...)
	c.front.held.End(c.hold, time.Now(), true)
	return err
}

// Undo restores every item that was written since New, or since the last Undo that succeeded. It ends all commits and
// forgets the tokens of transactions. If Undo returns an error, only some items may be restored, and the caller can
// call Undo again.
func (f *Front) Undo(ctx context.Context) error {
	clear(f.hidden)
	f.held = holds.Table{}
	f.epoch++
	if err := f.store(ctx, f.written, f.before); err != nil {
		return err
	}
	f.written = nil
	clear(f.before)
	return nil
}

// remember keeps the versions of items that a request is about to write, for Undo.
func (f *Front) remember(r *protocol.Request, items []protocol.Item, before versions) {
	f.last = r
	for _, i := range items {
		if _, known := f.before[i.Key]; !known {
			f.written = append(f.written, i)
			f.before[i.Key] = before[i.Key]
		}
	}
}

// read returns the items as the engine has them now.
func (f *Front) read(r *protocol.Request, items []protocol.Item) (versions, error) {
	found := versions{}
	batch := protocol.Batch{Table: r.Table, Settings: `{"ConsistentRead":true}`}
	for _, i := range items { // at most 100, the limit of a BatchGetItem
		if _, again := found[i.Key]; !again {
			found[i.Key] = ""
			batch.Elements = append(batch.Elements, i.KeyJSON())
		}
	}
	if batch.Len() == 0 {
		return found, nil
	}
	answer, err := f.Ask(r.HTTP.Context(), r.HTTP, "BatchGetItem", batch.In(nil, "RequestItems"))
	for _, item := range gjson.GetBytes(answer, "Responses.*").Array() {
		found[protocol.KeyOf(item)] = item.Raw
	}
	return found, err
}

// store writes versions of items to the engine, and deletes items that do not exist in them.
func (f *Front) store(ctx context.Context, items []protocol.Item, as versions) error {
	for some := range slices.Chunk(items, 25) { // the limit of a BatchWriteItem
		batch := protocol.Batch{Table: f.last.Table}
		for _, i := range some {
			write := protocol.Member{Name: "DeleteRequest", Value: `{"Key":` + i.KeyJSON() + "}"}
			if version := as[i.Key]; version != "" {
				write = protocol.Member{Name: "PutRequest", Value: `{"Item":` + version + "}"}
			}
			batch.Elements = append(batch.Elements, protocol.Object(write))
		}
		if _, err := f.Ask(ctx, f.last.HTTP, "BatchWriteItem", batch.In(nil, "RequestItems")); err != nil {
			return err
		}
	}
	return nil
}

// hiddenIn returns the keys of the hidden items of a range, sorted.
func (f *Front) hiddenIn(part protocol.Range) []protocol.Key {
	keys := slices.SortedFunc(maps.Keys(f.hidden), protocol.Key.Compare)
	return slices.DeleteFunc(keys, func(k protocol.Key) bool { return !part.Has(k) })
}
