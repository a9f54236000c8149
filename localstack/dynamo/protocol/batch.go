package protocol

import "slices"

// Batch has the elements of a batch operation by table: a request's RequestItems, or a response's unprocessed part.
type Batch []BatchTable

// BatchTable has the elements of a batch for one table: keys to get, or writes.
type BatchTable struct {
	Name     string // of the table, as in the request
	Value    []byte // a BatchGetItem's settings for the table; nil in a BatchWriteItem
	Elements [][]byte
}

// ParseBatch parses a batch. Its values are parts of the JSON object tables, not copies.
func ParseBatch(tables []byte) (all Batch, err error) {
	err = Members(tables, func(m Member) error {
		t, list := BatchTable{Name: m.Name}, m.Value
		if keys := MemberOf(m.Value, "Keys"); keys != nil {
			t.Value, list = m.Value, keys
		}
		err := Values(list, func(raw []byte) error {
			t.Elements = append(t.Elements, raw)
			return nil
		})
		all = append(all, t)
		return err
	})
	return all, err
}

// Len returns the number of elements in all tables.
func (b Batch) Len() (n int) {
	for _, t := range b {
		n += len(t.Elements)
	}
	return n
}

// Where returns the batch with only the elements that keep accepts by number, counted from 0 through all tables.
func (b Batch) Where(keep func(i int) bool) (kept Batch) {
	i := 0
	for _, t := range b {
		some := t
		some.Elements = nil
		for _, raw := range t.Elements {
			if keep(i) {
				some.Elements = append(some.Elements, raw)
			}
			i++
		}
		kept = append(kept, some)
	}
	return kept
}

// Add appends an element to a table. If the batch does not have the table, Add adds the table with the given value.
func (b *Batch) Add(table string, value, element []byte) {
	at := slices.IndexFunc(*b, func(t BatchTable) bool { return t.Name == table })
	if at < 0 {
		at = len(*b)
		*b = append(*b, BatchTable{Name: table, Value: value})
	}
	(*b)[at].Elements = append((*b)[at].Elements, element)
}

// JSON encodes the batch, as the reverse of ParseBatch. It leaves out tables without elements.
func (b Batch) JSON() []byte {
	var tables []Member
	for _, t := range b {
		switch {
		case len(t.Elements) == 0:
		case t.Value != nil:
			tables = append(tables, Named(t.Name, With(t.Value, Named("Keys", Array(t.Elements)))))
		default:
			tables = append(tables, Named(t.Name, Array(t.Elements)))
		}
	}
	return Object(tables...)
}

// LeaveOut adds the elements left to the unprocessed elements in answer, the response to a batch operation. It returns
// the new response, and all of its unprocessed elements.
func LeaveOut(operation string, answer []byte, left Batch) ([]byte, Batch) {
	name := "UnprocessedItems"
	if operation == "BatchGetItem" {
		name = "UnprocessedKeys"
	}
	all, err := ParseBatch(MemberOf(answer, name))
	if err != nil {
		all = nil
	}
	for _, t := range left {
		for _, raw := range t.Elements {
			all.Add(t.Name, t.Value, raw)
		}
	}
	if all.Len() == 0 {
		return answer, nil
	}
	return With(answer, Named(name, all.JSON())), all
}
