package capacity

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// These are the sizes in bytes of a read unit and a write unit (Developer Guide, "DynamoDB read and write operations").
const (
	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

// unitsFor returns the units that an item of a size costs, rounded up, at least 1. unit is the size of a unit in bytes.
func unitsFor(bytes, unit int) float64 { return max(1, math.Ceil(float64(bytes)/float64(unit))) }

// item is one item that a request reads or writes, with its cost in capacity units.
type item struct {
	partition
	least  float64 // the least units by the documentation
	weight float64 // the units by the sizes in the request; least or more
	open   bool    // whether it may cost more, because the item in the table may be larger
}

// toRead returns the cost of an item that a request reads. A strongly consistent read of up to 4 KB, or of no item,
// costs one unit, an eventually consistent one half (Developer Guide, "DynamoDB read and write operations").
func toRead(k protocol.Key, parameters []byte) item {
	least := 0.5
	if string(protocol.MemberOf(parameters, "ConsistentRead")) == "true" {
		least = 1
	}
	return item{partition{k.Table, k.PK}, least, least, true}
}

// toWrite returns the cost of an item that a request puts, updates, deletes or checks. A put has the whole new item. An
// update has only the values that it adds, and a delete or check has only the key and the values of its condition.
func toWrite(i protocol.Item) item {
	where := partition{i.Table, i.PK}
	if put := protocol.MemberOf(i.Parameters, "Item"); put != nil {
		units := unitsFor(itemSize(put), writeUnit)
		return item{where, units, units, false}
	}
	values := protocol.MemberOf(i.Parameters, "ExpressionAttributeValues")
	return item{where, 1, unitsFor(itemSize(i.KeyJSON())+itemSize(values), writeUnit), true}
}

// demands returns the cost of each item as far as it is known before the engine answers.
func demands(items []item) []demand {
	all := make([]demand, len(items))
	for i, one := range items {
		all[i] = demand{one.partition, one.weight}
	}
	return all
}

// consumedOf returns the consumed capacity that the engine reports in a response, for one table or for several tables.
func consumedOf(body []byte) (all []consumed) {
	said := protocol.MemberOf(body, "ConsumedCapacity")
	if said == nil || json.Unmarshal(said, &all) == nil {
		return all
	}
	all = make([]consumed, 1)
	_ = json.Unmarshal(said, &all[0])
	return all
}

// share returns the cost of each item, because an engine reports only the total of each table. share first gives each
// item its least units. It distributes the rest among the open items, or among all if none is open, in proportion to
// their sizes in the request. If an engine reports less than the documentation states, each item costs its least units.
// DynamoDB Local, for example, does not count missing items and condition checks.
func share(items []item, said []consumed) []demand {
	all := make([]demand, len(items))
	for i, one := range items {
		all[i] = demand{one.partition, one.least}
	}
	for _, table := range said {
		of := func(one item) bool {
			return table.TableName == one.table || strings.HasSuffix(table.TableName, ":table/"+one.table)
		}
		takes := of
		if slices.ContainsFunc(items, func(one item) bool { return of(one) && one.open }) {
			takes = func(one item) bool { return of(one) && one.open }
		}
		more, weights, takers := table.CapacityUnits, 0.0, 0.0
		for _, one := range items {
			if of(one) {
				more -= one.least
			}
			if takes(one) {
				weights += one.weight - one.least
				takers++
			}
		}
		for i, one := range items {
			switch {
			case !takes(one) || more <= 0:
			case weights == 0:
				all[i].units += more / takers
			default:
				all[i].units += more * (one.weight - one.least) / weights
			}
		}
	}
	return all
}

// itemSize returns the size in bytes for which DynamoDB charges an item, or some of its attributes (Developer Guide,
// "DynamoDB item sizes and formats"). Names and strings count their UTF-8 bytes, and binaries count their bytes. A
// number counts half a byte per digit plus one byte. Null and booleans count one byte. Lists and maps count three
// bytes, plus one for each element. The result is exact except for numbers, whose size the guide calls approximate.
func itemSize(item []byte) int {
	size := 0
	_ = protocol.Members(item, func(m protocol.Member) error {
		size += len(m.Name) + valueSize(m.Value)
		return nil
	})
	return size
}

// valueSize returns the size in bytes that DynamoDB charges for an attribute's value. The value is in DynamoDB's JSON,
// such as {"S": "..."}.
func valueSize(value []byte) (size int) {
	_ = protocol.Members(value, func(m protocol.Member) error {
		switch m.Name {
		case "NULL", "BOOL":
			size = 1
		case "S", "N", "B":
			size = scalarSize(m.Name, m.Value)
		case "SS", "NS", "BS":
			return protocol.Values(m.Value, func(v []byte) error {
				size += scalarSize(m.Name[:1], v)
				return nil
			})
		case "L":
			size = 3
			return protocol.Values(m.Value, func(v []byte) error {
				size += 1 + valueSize(v)
				return nil
			})
		case "M":
			size = 3
			return protocol.Members(m.Value, func(element protocol.Member) error {
				size += 1 + len(element.Name) + valueSize(element.Value)
				return nil
			})
		}
		return nil
	})
	return size
}

func scalarSize(kind string, quoted []byte) int {
	text, _ := protocol.Text(quoted)
	switch kind {
	case "B":
		return len(text)/4*3 - bytes.Count(quoted, []byte{'='})
	case "N":
		return min(21, (len(text)+1)/2+1)
	}
	return len(text)
}
