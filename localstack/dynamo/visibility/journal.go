package visibility

import (
	"context"
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Journal remembers the value that each item had before it was first written through the Front.
type Journal struct {
	front   *Front
	request *http.Request   // a request whose headers the engine accepts
	items   []protocol.Item // in the order of their first writes
	before  map[protocol.Key][]byte
}

// Journal returns the journal of the Front.
func (f *Front) Journal() *Journal { return f.journal }

// remember reads the old values of the items of a plain write, unless the journal has them, and stores them there.
func (f *Front) remember(request *http.Request, items []protocol.Item) error {
	missing := slices.DeleteFunc(slices.Clone(items), func(i protocol.Item) bool { return f.journal.has(i.Key) })
	if len(missing) == 0 {
		return nil
	}
	before, err := f.images(request.Context(), request, missing)
	if err != nil {
		return err
	}
	f.journal.remember(request, missing, before)
	return nil
}

func (j *Journal) has(k protocol.Key) bool {
	_, has := j.before[k]
	return has
}

// remember stores the old values of written items that the journal does not have yet.
func (j *Journal) remember(request *http.Request, items []protocol.Item, before map[protocol.Key][]byte) {
	j.request = request
	for _, i := range items {
		if !j.has(i.Key) && !i.Check {
			j.items = append(j.items, i)
			j.before[i.Key] = before[i.Key]
		}
	}
}

// Undo restores every item that was written since New, or since the last Undo that succeeded. It ends all
// commits and forgets the tokens of transactions. If Undo returns an error, only some items may be restored, and the
// caller can call Undo again.
func (j *Journal) Undo(ctx context.Context) error {
	f := j.front
	for c := range f.open {
		c.End()
	}
	f.held = holds.Table{}
	f.epoch++
	for some := range slices.Chunk(j.items, 25) { // the limit of a BatchWriteItem
		if err := j.restore(ctx, some); err != nil {
			return err
		}
	}
	j.items = nil
	clear(j.before)
	return nil
}

// restore writes the old values of items to the table, and deletes items that did not exist.
func (j *Journal) restore(ctx context.Context, items []protocol.Item) error {
	var batch protocol.Batch
	for _, i := range items {
		write := protocol.Named("DeleteRequest", protocol.Object(protocol.Named("Key", i.KeyJSON())))
		if before := j.before[i.Key]; before != nil {
			write = protocol.Named("PutRequest", protocol.Object(protocol.Named("Item", before)))
		}
		batch.Add(i.Name, nil, protocol.Object(write))
	}
	return j.front.askAll(ctx, j.request, "BatchWriteItem", batch, func([]byte) error { return nil })
}
