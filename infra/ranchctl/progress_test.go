package main

import (
	"strings"
	"testing"
)

// Where nobody watches, a line now and then; on a terminal, one line that is written anew, and the last word on it.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		watched      bool
		steps, total int
		first, last  string
		lines        int
	}{
		{false, 999, 0, "", "", 0},
		{false, 2500, 0, "1000 shows made\n", "2000 shows made\n", 2},
		{true, 0, 0, "", "", 0},
		{true, 2500, 0, "\r1 shows made", "\r2500 shows made\n", 1},
		{true, 3, 40, "\r1 of 40 shows made", "\r3 of 40 shows made\n", 1},
	} {
		var said strings.Builder
		p := (&app{watched: c.watched, warnings: &said}).progress("shows made", c.total)
		for range c.steps {
			p.step()
		}
		p.end()
		if got := said.String(); !strings.HasPrefix(got, c.first) || !strings.HasSuffix(got, c.last) || strings.Count(got, "\n") != c.lines {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
