package gateway

import "bytes"

// maxLine is the longest line that is passed on in one piece, as in CloudWatch.
const maxLine = 256 << 10

// lineWriter passes on what is written to it line by line, without the ends of the lines.
type lineWriter struct {
	emit func(line string)
	rest []byte
	last string // line passed on
}

func (w *lineWriter) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		line, after, found := bytes.Cut(w.rest, []byte("\n"))
		if len(line) > maxLine {
			line, after = w.rest[:maxLine], w.rest[maxLine:]
		} else if !found {
			return len(text), nil
		}
		w.pass(line)
		w.rest = after
	}
}

// flush passes on a last line without an end.
func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.pass(w.rest)
		w.rest = nil
	}
}

func (w *lineWriter) pass(line []byte) {
	w.last = string(bytes.TrimSuffix(line, []byte("\r")))
	w.emit(w.last)
}
