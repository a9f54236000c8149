package capacity

import (
	"fmt"
	"strings"
	"testing"
)

// The lines are those of the Developer Guide, "DynamoDB item sizes and formats".
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
		if got := itemSize([]byte(c.item)); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, got, c.want)
		}
	}
}

func TestUnitsFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes, unit int
		want        float64
	}{{0, readUnit, 1}, {3584, readUnit, 1}, {4096, readUnit, 1}, {4097, readUnit, 2}, {10240, readUnit, 3}, {500, writeUnit, 1}, {1639, writeUnit, 2}} {
		checkEqual(t, fmt.Sprint(c.bytes, " bytes"), unitsFor(c.bytes, c.unit), c.want)
	}
}
