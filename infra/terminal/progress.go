package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// refresh is the shortest time between two updates of Progress on a terminal.
const refresh = 200 * time.Millisecond

// Progress prints how many records long work has done. On a terminal it rewrites one line. Elsewhere it prints a line
// every Every records and at the end. Goroutines may share it.
type Progress struct {
	Out     io.Writer
	Watched bool   // Out is a terminal
	Done    string // what was done to the records, such as "ledgers verified"
	Every   int

	mu    sync.Mutex
	text  string // of the last call of At
	said  int    // records in the last line
	shown time.Time
}

// At prints that count records of total are done, if a line is due. total is 0 if it is unknown.
func (p *Progress) At(count, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("%d %s", count, p.Done)
	if total > 0 {
		p.text = fmt.Sprintf("%d of %d %s", count, total, p.Done)
	}
	last := count == total && count > p.said
	switch {
	case p.Watched && (last || time.Since(p.shown) > refresh):
		fmt.Fprint(p.Out, "\r"+p.text)
	case !p.Watched && (last || count/p.Every > p.said/p.Every):
		fmt.Fprintln(p.Out, p.text)
	default:
		return
	}
	p.said, p.shown = count, time.Now()
}

// End ends the line on a terminal, with what was done until now, also if the work was interrupted. Call it before other
// output.
func (p *Progress) End() {
	if p.Watched && p.text != "" {
		fmt.Fprintln(p.Out, "\r"+p.text)
	}
}
