package protocol

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Batch has the elements of a batch operation by table: a request's RequestItems, or a response's unprocessed part.
type Batch []BatchTable

// BatchTable has the elements of a batch for one table: keys to get, or writes.
type BatchTable struct {
	Name     string
	Settings string   // of a BatchGetItem for the table, as JSON; "" in a BatchWriteItem
	Elements []string // as JSON
}

// ParseBatch parses the batch in a JSON object.
func ParseBatch(tables gjson.Result) (all Batch) {
	tables.ForEach(func(name, list gjson.Result) bool {
		t := BatchTable{Name: name.Str}
		if keys := list.Get("Keys"); keys.Exists() {
			t.Settings, list = list.Raw, keys
		}
		for _, element := range list.Array() {
			t.Elements = append(t.Elements, element.Raw)
		}
		all = append(all, t)
		return true
	})
	return all
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
		for _, element := range t.Elements {
			if keep(i) {
				kept.Add(t.Name, t.Settings, element)
			}
			i++
		}
	}
	return kept
}

// Add appends an element to a table. If the batch does not have the table, Add adds the table with the given settings.
func (b *Batch) Add(table, settings, element string) {
	at := slices.IndexFunc(*b, func(t BatchTable) bool { return t.Name == table })
	if at < 0 {
		at = len(*b)
		*b = append(*b, BatchTable{Name: table, Settings: settings})
	}
	(*b)[at].Elements = append((*b)[at].Elements, element)
}

// In returns a JSON object with the batch as the member of this name.
func (b Batch) In(object []byte, name string) []byte {
	var tables []Member
	for _, t := range b {
		list := "[" + strings.Join(t.Elements, ",") + "]"
		if t.Settings != "" {
			list = string(With([]byte(t.Settings), Member{"Keys", list}))
		}
		tables = append(tables, Member{t.Name, list})
	}
	return With(object, Member{name, Object(tables...)})
}

// LeaveOut adds the elements left to the unprocessed elements in answer, the response to a batch operation. It returns
// the new response, and all of its unprocessed elements.
func LeaveOut(operation string, answer []byte, left Batch) ([]byte, Batch) {
	name := "UnprocessedItems"
	if operation == "BatchGetItem" {
		name = "UnprocessedKeys"
	}
	all := ParseBatch(gjson.GetBytes(answer, name))
	for _, t := range left {
		for _, element := range t.Elements {
			all.Add(t.Name, t.Settings, element)
		}
	}
	if len(all) == 0 {
		return answer, nil
	}
	return all.In(answer, name), all
}
