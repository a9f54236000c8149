package protocol

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Batch has the elements of a batch operation for its table: a request's RequestItems, or a response's unprocessed part.
type Batch struct {
	Table    string
	Settings string   // of a BatchGetItem, as JSON; "" in a BatchWriteItem
	Elements []string // keys to get, or writes, as JSON
}

// ParseBatch parses the batch in a JSON object, which has at most one table.
func ParseBatch(tables gjson.Result) (b Batch) {
	tables.ForEach(func(name, list gjson.Result) bool {
		b.Table = name.Str
		if keys := list.Get("Keys"); keys.Exists() {
			b.Settings, list = list.Raw, keys
		}
		for _, element := range list.Array() {
			b.Elements = append(b.Elements, element.Raw)
		}
		return true
	})
	return b
}

// Len returns the number of elements.
func (b Batch) Len() int { return len(b.Elements) }

// Where returns the batch with only the elements that keep accepts by number, counted from 0.
func (b Batch) Where(keep func(i int) bool) Batch {
	kept := Batch{Table: b.Table, Settings: b.Settings}
	for i, element := range b.Elements {
		if keep(i) {
			kept.Elements = append(kept.Elements, element)
		}
	}
	return kept
}

// In returns a JSON object with the batch as the member of this name.
func (b Batch) In(object []byte, name string) []byte {
	list := "[" + strings.Join(b.Elements, ",") + "]"
	if b.Settings != "" {
		list = string(With([]byte(b.Settings), Member{"Keys", list}))
	}
	return With(object, Member{name, Object(Member{b.Table, list})})
}

// LeaveOut returns answer, the response to a BatchGetItem, with the keys left as further unprocessed keys.
func LeaveOut(answer []byte, left Batch) []byte {
	if left.Len() == 0 {
		return answer
	}
	left.Elements = append(left.Elements, ParseBatch(gjson.GetBytes(answer, "UnprocessedKeys")).Elements...)
	return left.In(answer, "UnprocessedKeys")
}
