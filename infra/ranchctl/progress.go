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
// line every 1000 records. It may be used by several goroutines.
type progress struct {
	app   *app
	done  string // what has been done to records, such as "ledgers verified"
	total int    // 0 where nobody knows

	mu    sync.Mutex
	count int
	shown time.Time
}

func (a *app) progress(done string, total int) *progress {
	return &progress{app: a, done: done, total: total}
}

// step counts a record.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	switch {
	case !p.app.watched:
		if p.count%linesOf == 0 {
			fmt.Fprintln(p.app.warnings, p.text())
		}
	case time.Since(p.shown) > refresh:
		p.shown = time.Now()
		fmt.Fprint(p.app.warnings, "\r"+p.text())
	}
}

// end leaves the terminal's line. Call it before anything else is written.
func (p *progress) end() {
	if p.app.watched && p.count > 0 {
		fmt.Fprintln(p.app.warnings, "\r"+p.text())
	}
}

func (p *progress) text() string {
	if p.total > 0 {
		return fmt.Sprintf("%d of %d %s", p.count, p.total, p.done)
	}
	return fmt.Sprintf("%d %s", p.count, p.done)
}
