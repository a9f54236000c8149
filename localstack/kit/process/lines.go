package process

import "bytes"

// MaxLine is the longest line, in bytes, that Lines passes on in one piece, as in CloudWatch.
const MaxLine = 256 << 10

// Lines passes on what is written to it line by line, without the ends of the lines. It is for one writer, such as a
// child whose output and errors both go there. A last line without an end waits for Flush.
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

// Flush passes on a last line without an end; it is for after the child's end.
func (l *Lines) Flush() {
	if len(l.rest) > 0 {
		l.pass(l.rest)
		l.rest = nil
	}
}

// Last returns the line that was passed on last.
func (l *Lines) Last() string { return l.last }

func (l *Lines) pass(line []byte) {
	l.last = string(bytes.TrimSuffix(line, []byte("\r")))
	l.Emit(l.last)
}
