package process

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	var got []string
	w := &Lines{Emit: func(line string) { got = append(got, line) }}
	long := strings.Repeat("l", MaxLine)
	for _, text := range []string{"a", "b\nc\r\n", "\n", long + "rest", "\nend"} {
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	w.Flush()
	if want := []string{"ab", "c", "", long, "rest", "end"}; !slices.Equal(got, want) || w.Last() != "end" {
		t.Errorf("%d lines %.50q, last %q", len(got), got, w.Last())
	}
}

// TestTail checks that a Tail keeps the end of its input and passes everything on. The child process goes on even if
// its log cannot be written.
func TestTail(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	tail, long := Tail{Next: &all}, strings.Repeat("x", 3*tailSize)
	for _, text := range []string{"first", long, "\nlast\n"} {
		if n, err := io.WriteString(&tail, text); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if want := long[:tailSize-len("\nlast\n")] + "\nlast"; tail.String() != want || all.String() != "first"+long+"\nlast\n" {
		t.Errorf("it remembers %d bytes, and passed on %d", len(tail.String()), all.Len())
	}
	reader, writer := io.Pipe()
	_ = reader.CloseWithError(errors.New("no space left"))
	tail = Tail{Next: writer}
	if n, err := io.WriteString(&tail, "text"); n != 4 || err != nil || tail.String() != "text" {
		t.Errorf("Write = %d, %v; it remembers %q", n, err, &tail)
	}
}
