package logcheck

import (
	"regexp"

	"github.com/ranch-game/ranch/shared/game"
)

// With --output text, the command line prints an event's values in the order of their names, with tabs between them:
// of filter-log-events the event's id, when it was taken in, its stream, the message and when it was; of
// get-log-events the same without the id and the stream. A message is printed as it is, with its own tabs and lines:
// most of Lambda's own end with one, so that the last column is on a line by itself.
var (
	firstColumns = regexp.MustCompile(`^EVENTS\t(?:\d{14,}\t\d{13}\t[^\t]*|\d{13})\t`)
	lastColumn   = regexp.MustCompile(`\t\d{13}$`)
)

// textLine takes a line of an event that is printed as text; false where the line is of none.
func (c *Checker) textLine(line []byte) bool {
	first := firstColumns.Find(line)
	switch {
	case first != nil:
		c.endPrinted(0)
	case c.printed == nil:
		return false
	}
	line = line[len(first):]
	if last := lastColumn.Find(line); last != nil {
		c.printed = append(c.printed, line[:len(line)-len(last)]...)
		c.endPrinted(wrapped{Timestamp: last[1:]}.at())
	} else if c.printed = append(append(c.printed, line...), '\n'); len(c.printed) > longestLine {
		c.endPrinted(0)
	}
	return true
}

// endPrinted takes the event whose message has been read, if there is one. at is when it was; 0: not known.
func (c *Checker) endPrinted(at game.Instant) {
	if c.printed != nil {
		c.event(c.printed, at)
		c.printed = nil
	}
}
