package capacity

import (
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// The most items of a batch; the engine refuses more.
const (
	mostGotten  = 100
	mostWritten = 25
)

// batch is a BatchGetItem or a BatchWriteItem: DynamoDB treats each of its items as a request of its own (Developer
// Guide, "Error handling", batch operations), so that some may be let in and others not.
type batch struct {
	d        direction
	tables   []batchTable
	elements []element
}

type batchTable struct {
	name   string // as the request calls it
	value  []byte // what the request says of it
	schema *protocol.Schema
}

type element struct {
	item
	raw         []byte // as it stands in the request
	table       int
	unprocessed bool
}

// parseBatch reads the request. elementsOf calls visit for each element of a table, with its item.
func (c *call) parseBatch(d direction, most int, elementsOf func(t batchTable, visit func(raw []byte, i item)) error) (*batch, error) {
	b := &batch{d: d}
	err := protocol.Members(protocol.MemberOf(c.body, "RequestItems"), func(m protocol.Member) error {
		s, err := c.schema(m.Name)
		if err != nil {
			return err
		}
		t := batchTable{m.Name, m.Value, s}
		b.tables = append(b.tables, t)
		return elementsOf(t, func(raw []byte, i item) {
			b.elements = append(b.elements, element{item: i, raw: raw, table: len(b.tables) - 1})
		})
	})
	if err == nil && (len(b.elements) == 0 || len(b.elements) > most) {
		err = errPass
	}
	return b, err
}

func (b *batch) items() []item {
	all := make([]item, len(b.elements))
	for i, e := range b.elements {
		all[i] = e.item
	}
	return all
}

// unprocessed returns how many elements are left out.
func (b *batch) unprocessed() (n int) {
	for _, e := range b.elements {
		if e.unprocessed {
			n++
		}
	}
	return n
}

// render returns the tables with those elements that are unprocessed, or with those that are not, as a request and an
// answer have them.
func (b *batch) render(unprocessed bool) []byte {
	var all []protocol.Member
	for t, table := range b.tables {
		var raw [][]byte
		for _, e := range b.elements {
			if e.table == t && e.unprocessed == unprocessed {
				raw = append(raw, e.raw)
			}
		}
		switch {
		case raw == nil:
		case b.d == read:
			all = append(all, protocol.Named(table.name, protocol.With(table.value, protocol.Named("Keys", protocol.Array(raw)))))
		default:
			all = append(all, protocol.Named(table.name, protocol.Array(raw)))
		}
	}
	return protocol.Object(all)
}

// admitBatch lets elements in, one after another, and marks the others as unprocessed. It returns what was admitted,
// with nothing for those others, and the refusal if capacity has refused them all.
func (c *call) admitBatch(b *batch) (admitted []demand, refused any) {
	wanted := demands(b.items())
	limits := c.capacity.admitEach(c.clock.Now(), b.d, wanted)
	letIn := 0
	for i, l := range limits {
		if l == unlimited {
			letIn++
			continue
		}
		b.elements[i].unprocessed = true
		wanted[i].units = 0
	}
	if letIn < len(limits) {
		c.meter.refused(wanted, limits)
	}
	if letIn == 0 {
		c.meter.count(c.asker, Counts{Throttled: 1})
		return nil, throttled(b.tables[0].schema, b.d, limits[0])
	}
	return wanted, nil
}

// sendBatch sends what is not unprocessed: the client's own request where that is all of it.
func (c *call) sendBatch(b *batch) (*answer, error) {
	if b.unprocessed() == 0 {
		return c.send(c.body)
	}
	return c.send(protocol.With(c.body, protocol.Named("RequestItems", b.render(false))))
}

// batchGet reads the keys that capacity lets in, one by one: a partition in debt lets in none, and one that is just out
// of it a few. The others are UnprocessedKeys, and so are those past 1 MB of a partition and past 16 MB in all. It is
// refused as a whole only if nothing can be read (API Reference, BatchGetItem).
func (c *call) batchGet() (*http.Response, error) {
	b, err := c.parseBatch(read, mostGotten, func(t batchTable, visit func([]byte, item)) error {
		least := leastRead(string(protocol.MemberOf(t.value, "ConsistentRead")) == "true")
		return protocol.Values(protocol.MemberOf(t.value, "Keys"), func(raw []byte) error {
			k, err := t.schema.Key(raw)
			visit(raw, item{k, least, least, false})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	admitted, refused := c.admitBatch(b)
	if refused != nil {
		return c.refuse(refused, c.latencies.read(0))
	}
	a, err := c.sendBatch(b)
	if err != nil {
		c.settle(read, admitted, admitted)
		return nil, err
	}
	if !a.ok() {
		c.giveBack(read, admitted)
		return c.deliver(a, c.latencies.read(0))
	}
	c.settle(read, admitted, b.gotten(a))
	if n := b.unprocessed(); n > 0 {
		c.meter.count(c.asker, Counts{Unprocessed: n})
		a.rewrite(protocol.With(a.body, protocol.Named("UnprocessedKeys", b.render(true))))
	}
	return c.deliver(a, c.latencies.read(float64(len(a.body))/megabyte))
}

// batchWrite writes the items that capacity lets in and no transaction holds. The others are UnprocessedItems; a batch
// has no answer for conflicts.
func (c *call) batchWrite() (*http.Response, error) {
	b, err := c.parseBatch(write, mostWritten, func(t batchTable, visit func([]byte, item)) error {
		return protocol.Values(t.value, func(raw []byte) error {
			return protocol.Members(raw, func(m protocol.Member) error { // PutRequest or DeleteRequest
				p, err := parse(m.Value)
				if err != nil {
					return err
				}
				i, err := written(t.schema, p)
				visit(raw, i)
				return err
			})
		})
	})
	if err != nil {
		return nil, err
	}
	admitted, refused := c.admitBatch(b)
	if refused != nil {
		return c.refuse(refused, c.latencies.write())
	}
	conflicts := c.holds.conflicting(c.clock.Now(), keysOf(b.items()))
	for i, is := range conflicts {
		b.elements[i].unprocessed = b.elements[i].unprocessed || is
	}
	if slices.Contains(conflicts, true) {
		c.meter.count(c.asker, Counts{Conflicts: 1})
	}
	c.meter.count(c.asker, Counts{Unprocessed: b.unprocessed()})
	if b.unprocessed() == len(b.elements) {
		c.settle(write, admitted, admitted)
		if err := c.wait(c.latencies.write()); err != nil {
			return nil, err
		}
		return protocol.Respond(c.request, http.StatusOK, protocol.Object([]protocol.Member{protocol.Named("UnprocessedItems", b.render(true))})), nil
	}
	a, err := c.sendBatch(b)
	switch {
	case err != nil:
		c.settle(write, admitted, admitted)
		return nil, err
	case !a.ok():
		c.giveBack(write, admitted)
	default:
		c.settle(write, admitted, b.written(admitted, a))
		if b.unprocessed() > 0 {
			a.rewrite(protocol.With(a.body, protocol.Named("UnprocessedItems", b.render(true))))
		}
	}
	return c.deliver(a, c.latencies.write())
}

// written returns what each element took: those that a conflict has kept back what they were admitted for.
func (b *batch) written(admitted []demand, a *answer) []demand {
	var sent []item
	for _, e := range b.elements {
		if !e.unprocessed {
			sent = append(sent, e.item)
		}
	}
	taken, shares := slices.Clone(admitted), share(sent, a.consumed)
	for i, e := range b.elements {
		if !e.unprocessed {
			taken[i], shares = shares[0], shares[1:]
		}
	}
	return taken
}
