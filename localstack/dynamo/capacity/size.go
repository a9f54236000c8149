package capacity

import (
	"bytes"
	"math"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// itemSize returns how large DynamoDB takes an item to be, or some of its attributes (Developer Guide, "DynamoDB item
// sizes and formats"): names and strings by their UTF-8 bytes, binaries by their bytes, a number by half a byte per
// digit and one, null and booleans by one, lists and maps by three and one more for each element. It is right but for
// numbers, whose size the guide calls approximate.
func itemSize(item []byte) int {
	size := 0
	_ = protocol.Members(item, func(m protocol.Member) error {
		size += len(m.Name) + valueSize(m.Value)
		return nil
	})
	return size
}

// valueSize returns the size of an attribute's value, {"S": "..."} or the like.
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
	n := max(0, len(quoted)-2)
	switch kind {
	case "B":
		n = n/4*3 - bytes.Count(quoted, []byte{'='})
	case "N":
		n = min(21, (n+1)/2+1)
	case "S":
		if bytes.IndexByte(quoted, '\\') >= 0 {
			if s, err := protocol.Text(quoted); err == nil {
				n = len(s)
			}
		}
	}
	return n
}

// What a unit is good for (Developer Guide, "DynamoDB read and write operations").
const (
	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

// unitsFor returns how many units of a size an item takes: it is rounded up, and nothing takes one, too.
func unitsFor(bytes, unit int) float64 { return max(1, math.Ceil(float64(bytes)/float64(unit))) }
