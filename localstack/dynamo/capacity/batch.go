package capacity

import (
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// batch is a BatchGetItem or a BatchWriteItem under way: DynamoDB treats each of its items as a request of its own
// (Developer Guide, "Error handling", batch operations), so that some may be let in and others not.
type batch struct {
	*call
	items       []item // what its elements take
	admitted    []demand
	unprocessed []bool
}

// admitBatch lets elements in, one after another. It returns the refusal if capacity has refused them all.
func (c *call) admitBatch(d direction, items []item) (*batch, *protocol.Refusal) {
	b := &batch{c, items, demands(items), make([]bool, len(items))}
	limits := c.capacity.admitEach(c.clock.Now(), d, b.admitted)
	for i, l := range limits {
		if l != unlimited {
			b.unprocessed[i], b.admitted[i].units = true, 0
		}
	}
	c.meter.refused(b.admitted, limits)
	if !slices.Contains(limits, unlimited) {
		c.meter.count(c.asker, Counts{Throttled: 1})
		refused := throttled(c.Items[0].Schema, d, limits[0])
		return nil, &refused
	}
	return b, nil
}

// left returns how many elements are left out.
func (b *batch) left() (n int) {
	for _, is := range b.unprocessed {
		if is {
			n++
		}
	}
	return n
}

// part returns the elements that are unprocessed, or those that are not, as a request and an answer have them.
func (b *batch) part(unprocessed bool) []byte {
	return b.Batch.Where(func(i int) bool { return b.unprocessed[i] == unprocessed }).JSON()
}

// body returns the request for what is not unprocessed.
func (b *batch) body() []byte {
	if b.left() == 0 {
		return b.Body
	}
	return protocol.With(b.Body, protocol.Named("RequestItems", b.part(false)))
}

// batchGet reads the keys that capacity lets in, one by one: a partition in debt lets in none, and one that is just out
// of it a few. The others are UnprocessedKeys, and so are those past 1 MB of a partition and past 16 MB in all. It is
// refused as a whole only if nothing can be read (API Reference, BatchGetItem).
func (c *call) batchGet() (*http.Response, error) {
	var items []item
	for _, t := range c.Batch {
		for range t.Elements {
			one := toRead(c.Items[len(items)].Key, t.Value)
			one.open = false
			items = append(items, one)
		}
	}
	b, refused := c.admitBatch(read, items)
	if refused != nil {
		return c.refuse(*refused, c.latencies.read(0))
	}
	a, err := c.try(read, b.admitted, b.body(), func(a *answer) []demand {
		if !a.OK() {
			return nil
		}
		return b.gotten(a)
	})
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return c.deliver(a.Deliver(), c.latencies.read(0))
	}
	if n := b.left(); n > 0 {
		c.meter.count(c.asker, Counts{Unprocessed: n})
		a.Body = protocol.With(a.Body, protocol.Named("UnprocessedKeys", b.part(true)))
	}
	return c.deliver(a.Deliver(), c.latencies.read(float64(len(a.Body))/megabyte))
}

// gotten returns what each key took, and marks those that the answer has no room for, or that the engine itself has
// left out, as unprocessed. It looks at the answer's items only if it matters: if they took more than the least, of
// several partitions, or if there may be too many of them.
func (b *batch) gotten(a *answer) []demand {
	left, _ := protocol.ParseBatch(protocol.MemberOf(a.Body, "UnprocessedKeys"))
	for _, t := range left {
		for _, raw := range t.Elements {
			if i, ok := b.find(t.Name, raw); ok {
				b.unprocessed[i] = true
			}
		}
	}
	var least, said float64
	several := false
	for i, one := range b.items {
		if b.unprocessed[i] {
			b.items[i].least, b.items[i].weight = 0, 0
		}
		least += b.items[i].least
		several = several || one.partition != b.items[0].partition
	}
	for _, one := range a.consumed {
		said += one.CapacityUnits
	}
	if several && said > least || len(a.Body) > megabyte {
		b.measure(a)
	}
	taken := share(b.items, a.consumed)
	for i := range taken {
		if b.unprocessed[i] {
			taken[i].units = 0
		}
	}
	return taken
}

// find returns the element of a table whose key is among the attributes.
func (b *batch) find(table string, attributes []byte) (int, bool) {
	named := func(i protocol.Item) bool { return i.Name == table || i.Table == table }
	first := slices.IndexFunc(b.Items, named)
	if first < 0 {
		return 0, false
	}
	k, err := b.Items[first].Schema.Key(attributes)
	i := slices.IndexFunc(b.Items, func(i protocol.Item) bool { return named(i) && i.Key == k })
	return i, err == nil && i >= 0
}

// mostOfABatch is what a BatchGetItem returns at most, and megabyte what it returns of one partition (API Reference,
// BatchGetItem; its example, 52 items of 300 KB, stays a little below the 16 MB).
const mostOfABatch = 16 * megabyte

// measure weighs the items by their sizes, and takes those out of the answer for which there is no room. An answer
// whose projection leaves out the keys stays as it is.
func (b *batch) measure(a *answer) {
	rooms, room, cut := map[partition]int{}, mostOfABatch, false
	var kept protocol.Batch
	err := protocol.Members(protocol.MemberOf(a.Body, "Responses"), func(m protocol.Member) error {
		return protocol.Values(m.Value, func(raw []byte) error {
			i, ok := b.find(m.Name, raw)
			if !ok {
				return protocol.ErrSyntax
			}
			one, size := &b.items[i], itemSize(raw)
			one.least *= unitsFor(size, readUnit)
			one.weight, one.open = one.least, true
			if rooms[one.partition]+size > megabyte || size > room {
				b.unprocessed[i], cut = true, true
				return nil
			}
			rooms[one.partition] += size
			room -= size
			kept.Add(m.Name, nil, raw)
			return nil
		})
	})
	if err != nil || !cut {
		return
	}
	replacements := []protocol.Member{protocol.Named("Responses", kept.JSON())}
	if protocol.MemberOf(a.Body, "ConsumedCapacity") != nil {
		replacements = append(replacements, protocol.Named("ConsumedCapacity", protocol.Marshal(b.consumed(a))))
	}
	a.Body = protocol.With(a.Body, replacements...)
}

// consumed returns the capacity of what is left in the answer, for a client that has asked for it.
func (b *batch) consumed(a *answer) (all []consumed) {
	taken := share(b.items, a.consumed)
	for i, one := range b.Items {
		if i == 0 || b.Items[i-1].Name != one.Name {
			all = append(all, consumed{TableName: one.Name})
		}
		if !b.unprocessed[i] {
			all[len(all)-1].CapacityUnits += taken[i].units
		}
	}
	return all
}

// batchWrite writes the items that capacity lets in and no transaction holds. The others are UnprocessedItems; a batch
// has no answer for conflicts.
func (c *call) batchWrite() (*http.Response, error) {
	var items []item
	for _, i := range c.Items {
		items = append(items, toWrite(i))
	}
	b, refused := c.admitBatch(write, items)
	if refused != nil {
		return c.refuse(*refused, c.latencies.write())
	}
	if conflicts := c.conflicts(); conflicts != nil {
		for i, is := range conflicts {
			b.unprocessed[i] = b.unprocessed[i] || is
		}
		c.meter.count(c.asker, Counts{Conflicts: 1})
	}
	c.meter.count(c.asker, Counts{Unprocessed: b.left()})
	if b.left() == len(items) {
		c.settle(write, b.admitted, b.admitted)
		nothing := protocol.Object(protocol.Named("UnprocessedItems", b.part(true)))
		return c.deliver(protocol.Respond(c.HTTP, http.StatusOK, nothing), c.latencies.write())
	}
	a, err := c.try(write, b.admitted, b.body(), func(a *answer) []demand {
		if !a.OK() {
			return nil
		}
		return b.taken(a)
	})
	if err != nil {
		return nil, err
	}
	if a.OK() && b.left() > 0 {
		a.Body = protocol.With(a.Body, protocol.Named("UnprocessedItems", b.part(true)))
	}
	return c.deliver(a.Deliver(), c.latencies.write())
}

// taken returns what each element took: those that a conflict has kept back what they were admitted for.
func (b *batch) taken(a *answer) []demand {
	var sent []item
	for i, one := range b.items {
		if !b.unprocessed[i] {
			sent = append(sent, one)
		}
	}
	taken, shares := slices.Clone(b.admitted), share(sent, a.consumed)
	for i := range taken {
		if !b.unprocessed[i] {
			taken[i], shares = shares[0], shares[1:]
		}
	}
	return taken
}
