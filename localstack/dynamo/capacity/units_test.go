package capacity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShare(t *testing.T) {
	t.Parallel()
	known := func(name string, units float64) item { return item{partition{"t", name}, units, units, false} }
	open := func(name string, weight float64) item { return item{partition{"t", name}, 1, weight, true} }
	other := item{partition{"u", "a"}, 1, 1, true}
	for _, c := range []struct {
		what  string
		items []item
		said  []consumed
		want  []float64
	}{
		{"the engine says nothing", []item{known("a", 2), open("b", 5)}, nil, []float64{2, 1}},
		{"it says less than the documentation", []item{known("a", 2), open("b", 1)}, []consumed{{"t", 1}}, []float64{2, 1}},
		{"what is more went to the one that may have taken it", []item{known("a", 2), open("b", 1)}, []consumed{{"t", 9}}, []float64{2, 7}},
		{"by weight", []item{open("a", 4), open("b", 2), open("c", 1)}, []consumed{{"t", 11}}, []float64{7, 3, 1}},
		{"by weight, less than that", []item{open("a", 7), open("b", 1)}, []consumed{{"t", 4}}, []float64{3, 1}},
		{"evenly", []item{open("a", 1), open("b", 1)}, []consumed{{"t", 6}}, []float64{3, 3}},
		{"a put of a smaller item than was there", []item{known("a", 1), known("b", 1)}, []consumed{{"t", 4}}, []float64{2, 2}},
		{"two tables", []item{open("a", 1), other}, []consumed{{"u", 5}, {"arn:aws:dynamodb:local:0:table/t", 2}}, []float64{2, 5}},
	} {
		var got []float64
		for _, one := range share(c.items, c.said) {
			got = append(got, one.units)
		}
		assert.True(t, slices.Equal(got, c.want), "%s: %v, want %v", c.what, got, c.want)
	}
}

// TestItemSize checks each rule of the Developer Guide, "DynamoDB item sizes and formats".
func TestItemSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, item string
		want       int
	}{
		{"nothing", `{}`, 0},
		{"a string: name and UTF-8 bytes", `{"name":{"S":"aé€"}}`, 4 + 1 + 2 + 3},
		{"an escaped string", `{"a":{"S":"\u00e9\n"}}`, 1 + 2 + 1},
		{"an empty string", `{"a":{"S":""}}`, 1},
		{"a number: half a byte for each digit, and one", `{"a":{"N":"12345"}}`, 1 + 3 + 1},
		{"a number is at most 21 bytes", `{"a":{"N":"-` + strings.Repeat("1", 60) + `"}}`, 1 + 21},
		{"a binary by its bytes", `{"a":{"B":"AAECAw=="}}`, 1 + 4},
		{"null and boolean", `{"a":{"NULL":true},"b":{"BOOL":false}}`, 2 + 2},
		{"a list: three, and one for each element", `{"a":{"L":[{"S":"xy"},{"BOOL":true}]}}`, 1 + 3 + (1 + 2) + (1 + 1)},
		{"an empty map", `{"a":{"M":{}}}`, 1 + 3},
		{"a map: names, too", `{"a":{"M":{"bc":{"S":"def"}}}}`, 1 + 3 + (1 + 2 + 3)},
		{"sets", `{"a":{"SS":["x","yz"]},"b":{"NS":["1","22"]},"c":{"BS":["AAEC","AA=="]}}`, 1 + 3 + 1 + (2 + 2) + 1 + (3 + 1)},
	} {
		checkEqual(t, c.what, itemSize([]byte(c.item)), c.want)
	}
	for _, c := range []struct {
		bytes, unit int
		want        float64
	}{{0, readUnit, 1}, {4096, readUnit, 1}, {4097, readUnit, 2}, {500, writeUnit, 1}, {1639, writeUnit, 2}} {
		checkEqual(t, fmt.Sprint(c.bytes, " bytes"), unitsFor(c.bytes, c.unit), c.want)
	}
}
