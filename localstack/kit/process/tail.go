package process

import (
	"io"
	"strings"
	"sync"
)

// Tail remembers the last four kilobytes that are written to it and passes everything on. The zero value is ready for
// use, by several at once.
type Tail struct {
	Next io.Writer // gets everything; nil drops it

	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

// Write never fails: a child must not end because its log cannot be written.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	if t.Next != nil {
		_, _ = t.Next.Write(b)
	}
	return len(b), nil
}

// String returns what it remembers, without white space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
