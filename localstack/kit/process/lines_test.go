package process

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	var got []string
	w := &Lines{Emit: func(line string) { got = append(got, line) }}
	long := strings.Repeat("l", MaxLine)
	for _, text := range []string{"a", "b\nc\n", "\n", long + "rest", "\nend"} {
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	w.Flush()
	if want := []string{"ab", "c", "", long, "rest", "end"}; !slices.Equal(got, want) || w.Last() != "end" {
		t.Errorf("%d lines %.50q, last %q", len(got), got, w.Last())
	}
}
