package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Elsewhere than on a terminal, progress is a line every 1000 records. On a terminal, it is one line that is rewritten
// at the end, also with what the last update did not show, and before that when more than 0.2 s have passed. Each step
// takes 0.1 s.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		watched            bool
		step, count, total int
		want               string
	}{
		{false, 1, 999, 0, ""},
		{false, 1, 2500, 0, "1000 shows made\n2000 shows made\n"},
		{false, 300, 2400, 0, "1200 shows made\n2100 shows made\n"},
		{false, 25, 75, 75, "75 of 75 shows made\n"},
		{true, 1, 0, 0, ""},
		{true, 1, 8, 0, "\r1 shows made\r4 shows made\r7 shows made\r8 shows made\n"},
		{true, 1, 5, 5, "\r1 of 5 shows made\r4 of 5 shows made\r5 of 5 shows made\r5 of 5 shows made\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var said strings.Builder
			p := &Progress{Out: &said, Watched: c.watched, Done: "shows made", Every: 1000}
			for count := c.step; count <= c.count; count += c.step {
				p.At(count, c.total)
				time.Sleep(100 * time.Millisecond)
			}
			p.End()
			assert.Equal(t, c.want, said.String(), "%+v", c)
		})
	}
}
