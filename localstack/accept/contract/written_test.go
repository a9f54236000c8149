package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWriting checks checkWriting. Several objects may have the same field, but no object may have it twice.
func TestWriting(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`[{"a":1,"b":{"a":2}},{"a":[{"a":"a"},"a","a"],"b":"a"}]`: 0,
		`{"a":{"b":1,"c":[],"b":2}}`:                              1,
		`{"a":[{"b":1}],"a":{}}`:                                  1,
		`[0,10,-1,1.50]`:                                          0,
		`[1.5,1e2,1.500,-0.001]`:                                  4,
		"\"\xff\"":                                                1,
	} {
		got := checkWriting([]byte(body))
		assert.Len(t, got, want, "%q: %q", body, got)
	}
}
