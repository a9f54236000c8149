package process

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	tail := Tail{Next: &all}
	long := strings.Repeat("x", 3*tailSize)
	for _, text := range []string{"first", long, "\nlast\n"} {
		if n, err := io.WriteString(&tail, text); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if want := long[:tailSize-len("\nlast\n")] + "\nlast"; tail.String() != want {
		t.Errorf("it remembers %d bytes: %.100s", len(tail.String()), tail.String())
	}
	if want := "first" + long + "\nlast\n"; all.String() != want {
		t.Errorf("%d bytes were passed on, not %d", all.Len(), len(want))
	}
}

// A child goes on when its log cannot be written.
func TestTail_neverFails(t *testing.T) {
	t.Parallel()
	tail := Tail{Next: failing{}}
	if n, err := io.WriteString(&tail, "text"); n != 4 || err != nil || tail.String() != "text" {
		t.Errorf("Write = %d, %v; it remembers %q", n, err, &tail)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }
