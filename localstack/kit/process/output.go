package process

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// MaxLine is the longest line, in bytes, that Lines passes on in one piece, as in CloudWatch.
const MaxLine = 256 << 10

// Lines passes on its input line by line, without the ends of the lines. It is for one writer, such as a child whose
// output and errors both go there. A last line without an end waits for Flush.
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
		if len(line) > MaxLine {
			line, after = l.rest[:MaxLine], l.rest[MaxLine:]
		} else if !found {
			return len(text), nil
		}
		l.pass(line)
		l.rest = after
	}
}

// Flush passes on a last line without an end. Call it after the child's end.
func (l *Lines) Flush() {
	if len(l.rest) > 0 {
		l.pass(l.rest)
		l.rest = nil
	}
}

// Last returns the last line.
func (l *Lines) Last() string { return l.last }

func (l *Lines) pass(line []byte) {
	l.last = string(bytes.TrimSuffix(line, []byte("\r")))
	l.Emit(l.last)
}

// Tail remembers the last four kilobytes of its input and passes everything on. The zero value is ready for concurrent
// use.
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

// String returns the remembered text, without white space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
