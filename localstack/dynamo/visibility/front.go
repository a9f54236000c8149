package visibility

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Front stands before an engine. It is safe for concurrent use.
type Front struct {
	protocol.Engine

	mu      sync.Mutex
	written *sync.Cond           // a plain write was answered
	held    holds.Table          // what is hidden or checked
	plain   map[protocol.Key]int // plain writes that the engine has not answered
	open    map[*Commit]bool     // transactions under way and commits that are not over
	journal *Journal             // nil without
	epoch   int                  // how often a journal has undone what succeeded tokens stand for
}

// New returns a Front before the engine that next leads to, with nothing held.
func New(next http.RoundTripper) *Front {
	f := &Front{Engine: protocol.Engine{Next: next, Tables: &protocol.Tables{}}, plain: map[protocol.Key]int{}, open: map[*Commit]bool{}}
	f.written = sync.NewCond(&f.mu)
	return f
}

// Repeats reports whether a transaction with the same token is under way or has succeeded: nothing can cancel it any
// more.
func (f *Front) Repeats(r *protocol.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held.Token(time.Now(), r.Token) != holds.Held
}

// Commit is a transaction that the engine has applied and that is not over. Its methods may be called at any time, by
// anyone, also within the function that Read asks.
type Commit struct {
	front   *Front
	hold    *holds.Hold
	hidden  map[protocol.Key]hiding // nil while the before-images are being read
	applied bool                    // by the engine
}

// hiding is a hidden item, as a read finds it.
type hiding struct {
	commit *Commit
	before []byte // nil if there was none
	item   protocol.Item
}

// Hidden returns the items that it has written and that are not shown, sorted.
func (c *Commit) Hidden() []protocol.Key {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.hidden), protocol.Key.Compare)
}

// Show shows items from now on. Those that are shown already, or not the commit's, change nothing.
func (c *Commit) Show(keys ...protocol.Key) {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	for _, k := range keys {
		if _, is := c.hidden[k]; is {
			delete(c.hidden, k)
			c.front.held.Free(c.hold, k)
		}
	}
}

// End shows what is hidden and lets go of everything. Ending it twice changes nothing.
func (c *Commit) End() {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	c.release()
}

// release lets go of everything; the Front is locked.
func (c *Commit) release() {
	now := time.Now()
	c.front.held.End(now, c.hold, now, c.applied)
	clear(c.hidden)
	delete(c.front.open, c)
}

func (c *Commit) isOpen() bool {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	return c.front.open[c] && c.applied
}

// hiding returns the items that are hidden, and match, unless the engine has not been asked to write them yet.
func (f *Front) hiding(match func(protocol.Key) bool) map[protocol.Key]hiding {
	f.mu.Lock()
	defer f.mu.Unlock()
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

// images reads items as they are in the engine; those that are not there are nil.
func (f *Front) images(ctx context.Context, r *http.Request, items []protocol.Item) (map[protocol.Key][]byte, error) {
	found, schemas := map[protocol.Key][]byte{}, map[string]*protocol.Schema{}
	var each []protocol.Item // once
	for _, i := range items {
		if _, again := found[i.Key]; !again {
			found[i.Key], schemas[i.Name] = nil, i.Schema
			each = append(each, i)
		}
	}
	for some := range slices.Chunk(each, 100) { // as many as a BatchGetItem takes
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

// askAll carries out a batch until nothing of it is left.
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

// view is what a read that has met hidden items sees of them.
type view struct {
	before, after map[protocol.Key]hiding // as they were before and after the engine was asked
	sees          func(protocol.Key) bool
}

// of returns the item as the read sees it, raw being the engine's.
func (v view) of(k protocol.Key, raw []byte) []byte {
	h, is := v.after[k]
	if !is {
		return raw
	}
	// What became hidden while the engine was asked may not have been in its answer: that cannot be shown.
	if earlier, was := v.before[k]; was && earlier.commit == h.commit && h.commit.isOpen() && v.sees(k) {
		h.commit.Show(k)
		return raw
	}
	return h.before
}
