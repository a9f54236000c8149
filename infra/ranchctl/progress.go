package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	// linesOf is after how many records each progress is a line where nobody watches.
	linesOf = 1000
	// refresh is how often a terminal shows progress.
	refresh = 200 * time.Millisecond
)

// progress tells on stderr how far long work has come: on a terminal in one line that is written anew, elsewhere in a
// line every 1000 records and at the end. It may be used by several goroutines.
type progress struct {
	app  *app
	done string // what has been done to records, such as "ledgers verified"

	every int // records, there is a line if nobody watches

	mu    sync.Mutex
	said  int // records
	shown time.Time
}

func (a *app) progress(done string) *progress { return &progress{app: a, done: done, every: linesOf} }

// at says that so many records are done, of so many in all; 0 where nobody knows.
func (p *progress) at(count, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%d %s", count, p.done)
	if total > 0 {
		text = fmt.Sprintf("%d of %d %s", count, total, p.done)
	}
	last := count == total && count > p.said
	switch {
	case p.app.watched && (last || time.Since(p.shown) > refresh):
		fmt.Fprint(p.app.warnings, "\r"+text)
	case !p.app.watched && (last || count/p.every > p.said/p.every):
		fmt.Fprintln(p.app.warnings, text)
	default:
		return
	}
	p.said, p.shown = count, time.Now()
}

// end leaves the terminal's line. Call it before anything else is written.
func (p *progress) end() {
	if p.app.watched && p.said > 0 {
		fmt.Fprintln(p.app.warnings)
	}
}
