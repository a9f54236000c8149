package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	// linesOf is the usual number of records for each line of progress if stderr is not a terminal.
	linesOf = 1000
	// refresh is the shortest time between two updates of progress on a terminal.
	refresh = 200 * time.Millisecond
)

// progress prints on stderr how many records long work has done. On a terminal it rewrites one line. Elsewhere it
// prints a line every 1000 records (of a file, every tenth of its lines) and at the end. Goroutines may share it.
type progress struct {
	app  *app
	done string // what was done to the records, such as "ledgers verified"

	every int // records for each line if stderr is not a terminal

	mu    sync.Mutex
	said  int // records in the last line
	shown time.Time
}

func (a *app) progress(done string) *progress { return &progress{app: a, done: done, every: linesOf} }

// at prints that count records of total are done, if a line is due. total is 0 if it is unknown.
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

// end ends the line on a terminal. Call it before other output.
func (p *progress) end() {
	if p.app.watched && p.said > 0 {
		fmt.Fprintln(p.app.warnings)
	}
}
