package dynamo

import (
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// elements are those of a batch for one table: keys to get, or writes.
type elements struct {
	table string
	value []byte // what a BatchGetItem says of the table; nil in a BatchWriteItem
	raw   [][]byte
}

// elementsOf reads RequestItems, or what an answer says is unprocessed.
func elementsOf(tables []byte) (all []elements) {
	_ = protocol.Members(tables, func(m protocol.Member) error {
		e, list := elements{table: m.Name}, m.Value
		if keys := protocol.MemberOf(m.Value, "Keys"); keys != nil {
			e.value, list = m.Value, keys
		}
		_ = protocol.Values(list, func(raw []byte) error {
			e.raw = append(e.raw, raw)
			return nil
		})
		all = append(all, e)
		return nil
	})
	return all
}

// render is the reverse of elementsOf; tables without elements are left out.
func render(all []elements) []byte {
	var tables []protocol.Member
	for _, e := range all {
		switch {
		case len(e.raw) == 0:
		case e.value != nil:
			tables = append(tables, protocol.Named(e.table, protocol.With(e.value, protocol.Named("Keys", protocol.Array(e.raw)))))
		default:
			tables = append(tables, protocol.Named(e.table, protocol.Array(e.raw)))
		}
	}
	return protocol.Object(tables)
}

// split leaves the first elements of a batch to be processed: at least one, and not all.
func split(all []elements, pick float64) (first, rest []elements) {
	n := 0
	for _, e := range all {
		n += len(e.raw)
	}
	left := 1 + int(pick*float64(n-1))
	for _, e := range all {
		here := min(left, len(e.raw))
		left -= here
		before, after := e, e
		before.raw, after.raw = e.raw[:here], e.raw[here:]
		first, rest = append(first, before), append(rest, after)
	}
	return first, rest
}

// merge adds what the engine itself has left.
func merge(rest, left []elements) []elements {
	for _, l := range left {
		for i := range rest {
			if rest[i].table == l.table {
				rest[i].raw = append(rest[i].raw[:len(rest[i].raw):len(rest[i].raw)], l.raw...)
			}
		}
	}
	return rest
}
