package process

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Lines is a writer that splits its input into lines and calls Emit for each line, without the end of the line. Only
// one goroutine may write at a time. Lines holds back a last line without an end until Flush.
type Lines struct {
	Emit func(line string) // gets every line
	rest []byte
	last string
}

// Write never fails.
func (l *Lines) Write(text []byte) (int, error) {
	l.rest = append(l.rest, text...)
	for {
		line, after, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return len(text), nil
		}
		l.pass(line)
		l.rest = after
	}
}

// Flush passes on a last line that has no end. Call it after the end of the child process.
func (l *Lines) Flush() {
	if len(l.rest) > 0 {
		l.pass(l.rest)
		l.rest = nil
	}
}

// Last returns the last line that Emit got.
func (l *Lines) Last() string { return l.last }

func (l *Lines) pass(line []byte) {
	l.last = string(bytes.TrimSuffix(line, []byte("\r")))
	l.Emit(l.last)
}

// Tail is a writer that remembers the last 4 KiB of its input and passes everything on to Next. It is safe for
// concurrent use. The zero value is ready for use.
type Tail struct {
	Next io.Writer // gets everything; nil drops it

	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

// Write never fails, because a child process must not end if its log cannot be written.
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

// String returns the remembered end of the input, without white space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
