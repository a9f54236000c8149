package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells on stderr how far the work has come, and when it may be done: on a terminal in one line that is
// written anew, elsewhere in a line for each twentieth.
type progress struct {
	what  string
	total int
	start time.Time
	watch bool

	mu    sync.Mutex
	count int
	shown time.Time
}

func newProgress(what string, total int) *progress {
	return &progress{what: what, total: total, start: time.Now(), watch: term.IsTerminal(int(os.Stderr.Fd()))}
}

// barWidth is how many characters a bar has.
const barWidth = 30

// done counts one more, and shows what else there is to say.
func (p *progress) done(note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	last := p.count == p.total
	took := time.Since(p.start)
	left := (took / time.Duration(p.count) * time.Duration(p.total-p.count)).Round(time.Second)
	line := fmt.Sprintf("%d of %d %s  %s  %v, %v left", p.count, p.total, p.what, note, took.Round(time.Second), left)
	switch {
	case p.watch && (last || time.Since(p.shown) > 200*time.Millisecond):
		full := barWidth * p.count / p.total
		fmt.Fprintf(os.Stderr, "\r[%s%s] %s\x1b[K", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), line)
	case !p.watch && (last || p.count*20/p.total > (p.count-1)*20/p.total):
		fmt.Fprintln(os.Stderr, line)
	default:
		return
	}
	p.shown = time.Now()
}

// end leaves the terminal's line.
func (p *progress) end() {
	if p.watch && p.count > 0 {
		fmt.Fprintln(os.Stderr)
	}
}
