package process

import "bytes"

// MaxLine is the longest line that is passed on in one piece, as in CloudWatch.
const MaxLine = 256 << 10

// Lines passes on what is written to it line by line, without the ends of the lines.
type Lines struct {
	Emit func(line string)
	rest []byte
	Last string // line passed on
}

func (w *Lines) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		line, after, found := bytes.Cut(w.rest, []byte("\n"))
		if len(line) > MaxLine {
			line, after = w.rest[:MaxLine], w.rest[MaxLine:]
		} else if !found {
			return len(text), nil
		}
		w.pass(line)
		w.rest = after
	}
}

// Flush passes on a last line without an end.
func (w *Lines) Flush() {
	if len(w.rest) > 0 {
		w.pass(w.rest)
		w.rest = nil
	}
}

func (w *Lines) pass(line []byte) {
	w.Last = string(bytes.TrimSuffix(line, []byte("\r")))
	w.Emit(w.Last)
}
