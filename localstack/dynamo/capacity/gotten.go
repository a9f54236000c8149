package capacity

import (
	"bytes"
	"strconv"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostOfABatch is what a BatchGetItem returns at most, and megabyte what it returns of one partition (API Reference,
// BatchGetItem; its example, 52 items of 300 KB, stays a little below the 16 MB).
const mostOfABatch = 16 * megabyte

// gotten returns what each key took, and marks those that the answer has no room for, or that the engine itself has
// left out, as unprocessed. Only where it matters are the answer's items looked at: where they took more than the
// least, of several partitions, or where there may be too many of them.
func (b *batch) gotten(a *answer) []demand {
	if !bytes.Contains(a.body, []byte(`"UnprocessedKeys":{}`)) {
		b.markUnprocessed(protocol.MemberOf(a.body, "UnprocessedKeys"))
	}
	items := b.items()
	var least, said float64
	several := false
	for i, e := range b.elements {
		if e.unprocessed {
			items[i].least, items[i].weight = 0, 0
		}
		least += items[i].least
		several = several || items[i].where() != items[0].where()
	}
	for _, one := range a.consumed {
		said += one.units
	}
	if several && said > least || len(a.body) > megabyte {
		b.measure(a, items)
	}
	taken := share(items, a.consumed)
	for i, e := range b.elements {
		if e.unprocessed {
			taken[i].units = 0
		}
	}
	return taken
}

// markUnprocessed marks what the engine itself has left out.
func (b *batch) markUnprocessed(tables []byte) {
	_ = protocol.Members(tables, func(m protocol.Member) error {
		for t, table := range b.tables {
			if table.name != m.Name {
				continue
			}
			_ = protocol.Values(protocol.MemberOf(m.Value, "Keys"), func(raw []byte) error {
				if i, ok := b.find(t, raw); ok {
					b.elements[i].unprocessed = true
				}
				return nil
			})
		}
		return nil
	})
}

// find returns the element of a table whose key is among the attributes.
func (b *batch) find(table int, attributes []byte) (int, bool) {
	k, err := b.tables[table].schema.Key(attributes)
	for i, e := range b.elements {
		if err == nil && e.table == table && e.key == k {
			return i, true
		}
	}
	return 0, false
}

// measure weighs the items by their sizes, and takes those out of the answer for which there is no room. An answer
// whose projection leaves out the keys stays as it is.
func (b *batch) measure(a *answer, items []item) {
	rooms, room, cut := map[partition]int{}, mostOfABatch, false
	kept := make([][][]byte, len(b.tables))
	err := protocol.Members(protocol.MemberOf(a.body, "Responses"), func(m protocol.Member) error {
		t := b.table(m.Name)
		if t < 0 {
			return protocol.ErrSyntax
		}
		return protocol.Values(m.Value, func(raw []byte) error {
			i, ok := b.find(t, raw)
			if !ok {
				return protocol.ErrSyntax
			}
			size := itemSize(raw)
			items[i].least *= unitsFor(size, readUnit)
			items[i].weight, items[i].open = items[i].least, true
			where := items[i].where()
			if rooms[where]+size > megabyte || size > room {
				b.elements[i].unprocessed, cut = true, true
				return nil
			}
			rooms[where] += size
			room -= size
			kept[t] = append(kept[t], raw)
			return nil
		})
	})
	if err != nil || !cut {
		return
	}
	b.replace(a, kept, items)
}

func (b *batch) table(name string) int {
	for t, table := range b.tables {
		if table.name == name || table.schema.Table == name {
			return t
		}
	}
	return -1
}

// replace gives the answer the kept items, and capacity to match where the client asked for it.
func (b *batch) replace(a *answer, kept [][][]byte, items []item) {
	var responses []protocol.Member
	var capacity [][]byte
	taken := share(items, a.consumed)
	for t, table := range b.tables {
		units := 0.0
		for i, e := range b.elements {
			if e.table == t && !e.unprocessed {
				units += taken[i].units
			}
		}
		responses = append(responses, protocol.Named(table.name, protocol.Array(kept[t])))
		capacity = append(capacity, protocol.Object([]protocol.Member{
			protocol.Named("TableName", []byte(strconv.Quote(table.name))),
			protocol.Named("CapacityUnits", strconv.AppendFloat(nil, units, 'f', -1, 64)),
		}))
	}
	replacements := []protocol.Member{protocol.Named("Responses", protocol.Object(responses))}
	if protocol.MemberOf(a.body, "ConsumedCapacity") != nil {
		replacements = append(replacements, protocol.Named("ConsumedCapacity", protocol.Array(capacity)))
	}
	a.rewrite(protocol.With(a.body, replacements...))
}
