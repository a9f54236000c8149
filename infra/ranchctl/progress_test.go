package main

import (
	"strings"
	"testing"
)

// Where nobody watches, a line now and then; on a terminal, one line that is written anew.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		watched            bool
		step, count, total int
		first, last        string
		lines              int
	}{
		{false, 1, 999, 0, "", "", 0},
		{false, 1, 2500, 0, "1000 shows made\n", "2000 shows made\n", 2},
		{false, 300, 2400, 0, "1200 shows made\n", "2100 shows made\n", 2},
		{false, 25, 75, 75, "75 of 75 shows made\n", "75 of 75 shows made\n", 1},
		{true, 1, 0, 0, "", "", 0},
		{true, 1, 2500, 0, "\r1 shows made", "shows made\n", 1},
		{true, 1, 40, 40, "\r1 of 40 shows made", "\r40 of 40 shows made\n", 1},
	} {
		var said strings.Builder
		p := (&app{watched: c.watched, warnings: &said}).progress("shows made")
		for count := c.step; count <= c.count; count += c.step {
			p.at(count, c.total)
		}
		p.end()
		if got := said.String(); !strings.HasPrefix(got, c.first) || !strings.HasSuffix(got, c.last) || strings.Count(got, "\n") != c.lines {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
