package visibility

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Front sends requests to an engine and hides items of open commits from reads. It is not safe for concurrent use: its
// driver makes one request at a time.
type Front struct {
	protocol.Engine

	held    holds.Table      // the items of transactions in open
	open    map[*Commit]bool // the transaction under way and open commits
	journal *Journal
	epoch   int // how often Undo was called
}

// New returns a Front that sends requests to the engine with next.
func New(next http.RoundTripper) *Front {
	f := &Front{Engine: protocol.Engine{Next: next, Tables: &protocol.Tables{}}, open: map[*Commit]bool{}}
	f.journal = &Journal{front: f, before: map[protocol.Key][]byte{}}
	return f
}

// Commit is a transaction that the engine has applied and that has not ended. The function sees that Read calls may use
// its methods, too.
type Commit struct {
	front  *Front
	hold   *holds.Hold
	hidden map[protocol.Key]hiding
}

// hiding is a hidden item, with its value from before its transaction.
type hiding struct {
	commit *Commit
	before []byte // nil if the item did not exist
	item   protocol.Item
}

// Hidden returns the keys of the commit's items that are still hidden, sorted.
func (c *Commit) Hidden() []protocol.Key {
	return slices.SortedFunc(maps.Keys(c.hidden), protocol.Key.Compare)
}

// Show makes items of the commit visible from now on. It ignores visible items, and items of other commits.
func (c *Commit) Show(keys ...protocol.Key) {
	for _, k := range keys {
		if _, is := c.hidden[k]; is {
			delete(c.hidden, k)
			c.front.held.Free(c.hold, k)
		}
	}
}

// End makes all items of the commit visible and releases them. A second End has no effect.
func (c *Commit) End() { c.release(true) }

// release ends the commit. applied reports whether the engine has applied its transaction.
func (c *Commit) release(applied bool) {
	c.front.held.End(c.hold, time.Now(), applied)
	clear(c.hidden)
	delete(c.front.open, c)
}

// hiding returns the hidden items whose keys match accepts.
func (f *Front) hiding(match func(protocol.Key) bool) map[protocol.Key]hiding {
	found := map[protocol.Key]hiding{}
	for c := range f.open {
		for k, h := range c.hidden {
			if match(k) {
				found[k] = h
			}
		}
	}
	return found
}

// images returns the items as the engine has them now, with nil for a missing item.
func (f *Front) images(ctx context.Context, r *http.Request, items []protocol.Item) (map[protocol.Key][]byte, error) {
	found, schemas := map[protocol.Key][]byte{}, map[string]*protocol.Schema{}
	var each []protocol.Item // without repetitions
	for _, i := range items {
		if _, again := found[i.Key]; !again {
			found[i.Key], schemas[i.Name] = nil, i.Schema
			each = append(each, i)
		}
	}
	for some := range slices.Chunk(each, 100) { // the limit of a BatchGetItem
		var batch protocol.Batch
		for _, i := range some {
			batch.Add(i.Name, []byte(`{"ConsistentRead":true}`), i.KeyJSON())
		}
		err := f.askAll(ctx, r, "BatchGetItem", batch, func(body []byte) error {
			return protocol.Members(protocol.MemberOf(body, "Responses"), func(m protocol.Member) error {
				return protocol.Values(m.Value, func(raw []byte) error {
					k, err := schemas[m.Name].Key(raw)
					found[k] = raw
					return err
				})
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// askAll executes a batch, and repeats its unprocessed part until nothing is left. It calls visit with the body of each
// response.
func (f *Front) askAll(ctx context.Context, r *http.Request, operation string, batch protocol.Batch, visit func(body []byte) error) error {
	for batch.Len() > 0 {
		body, err := f.Ask(ctx, r, operation, protocol.Object(protocol.Named("RequestItems", batch.JSON())))
		if err != nil {
			return err
		}
		if err := visit(body); err != nil {
			return err
		}
		_, batch = protocol.LeaveOut(operation, body, nil)
	}
	return nil
}

// view decides what one read sees of the hidden items in its range.
type view struct {
	hidden map[protocol.Key]hiding
	sees   func(protocol.Key) bool
}

// of returns the item with the key k as the read sees it, or nil if it does not exist for the read. raw is the item as
// the engine has it, or nil. If sees returns true for a hidden item, of makes the item visible.
func (v view) of(k protocol.Key, raw []byte) []byte {
	h, is := v.hidden[k]
	switch {
	case !is:
		return raw
	case v.sees(k):
		h.commit.Show(k)
		return raw
	}
	return h.before
}
