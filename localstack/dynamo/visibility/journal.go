package visibility

import (
	"context"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostWritten is how many items a BatchWriteItem writes at most.
const mostWritten = 25

// Journal remembers items as they were before they were written through its Front.
type Journal struct {
	front   *Front
	request *http.Request // one whose headers the engine accepts
	items   []item        // in the order of their first writes
	before  map[Key][]byte
}

// Journal returns one that begins now, in place of any earlier one. Each plain write reads its before-image from now
// on.
func (f *Front) Journal() *Journal {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.journal = &Journal{front: f, before: map[Key][]byte{}}
	return f.journal
}

// remember reads the before-images of a plain write where there is a journal that does not have them.
func (f *Front) remember(request *http.Request, items []item) error {
	f.mu.Lock()
	var missing []item
	if f.journal != nil {
		for _, i := range items {
			if _, has := f.journal.before[i.Key]; !has {
				missing = append(missing, i)
			}
		}
	}
	f.mu.Unlock()
	if missing == nil {
		return nil
	}
	before, err := f.images(request.Context(), request, missing)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.journal != nil {
		f.journal.remember(request, missing, before)
	}
	return nil
}

// remember keeps the first before-images; the Front is locked.
func (j *Journal) remember(request *http.Request, items []item, before map[Key][]byte) {
	j.request = request
	for _, i := range items {
		if _, has := j.before[i.Key]; !has && !i.check {
			j.items = append(j.items, i)
			j.before[i.Key] = before[i.Key]
		}
	}
}

// Undo puts every item back that has been written since the journal began, or was last undone, ends all commits and
// forgets the tokens of transactions. Nothing else may be under way meanwhile. After an error some items may be back
// and others not; it can be called again.
func (j *Journal) Undo(ctx context.Context) error {
	f := j.front
	f.mu.Lock()
	for c := range f.open {
		c.release()
	}
	f.succeeded = succeeded{}
	f.epoch++
	items := j.items
	f.mu.Unlock()
	for len(items) > 0 {
		n := min(mostWritten, len(items))
		if err := j.restore(ctx, items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	j.items = nil
	clear(j.before)
	return nil
}

// restore writes the before-images of items.
func (j *Journal) restore(ctx context.Context, items []item) error {
	batch := make([]item, len(items))
	for n, i := range items {
		request, member, value := "DeleteRequest", "Key", i.key
		if before := j.before[i.Key]; before != nil {
			request, member, value = "PutRequest", "Item", before
		}
		inner := protocol.Object([]protocol.Member{protocol.Named(member, value)})
		i.raw = protocol.Object([]protocol.Member{protocol.Named(request, inner)})
		batch[n] = i
	}
	for left := byTable(batch, nil); left != nil && string(left) != "{}"; {
		body, err := j.front.ask(ctx, j.request, "BatchWriteItem", protocol.Object([]protocol.Member{protocol.Named("RequestItems", left)}))
		if err != nil {
			return err
		}
		left = protocol.MemberOf(body, "UnprocessedItems")
	}
	return nil
}
