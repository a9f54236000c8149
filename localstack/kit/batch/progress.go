package batch

import (
	"fmt"
	"io"
	"time"
)

// Progress is the state of a run.
type Progress struct {
	What     string // the things that the run counts, such as "calls". A change restarts the rate
	Done, Of int
	Note     string // further text, or ""
}

// Show prints the progress that how returns, every ten seconds until the caller calls end, from another goroutine.
func Show(out io.Writer, how func() Progress) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	var r rate
	r.line(how(), time.Now())
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case now := <-tick.C:
				fmt.Fprintln(out, r.line(how(), now))
			}
		}
	}()
	return func() { close(over); <-ended }
}

// rate is the point at which a run began to count the present kind of things (Progress.What).
type rate struct {
	what  string
	since time.Time
	from  int
}

// line returns the progress as a line of text, with the rate and the remaining time.
func (r *rate) line(p Progress, now time.Time) string {
	if p.What != r.what {
		*r = rate{p.What, now, p.Done}
	}
	share := min(1, float64(p.Done)/float64(max(p.Of, 1)))
	line := fmt.Sprintf("%3.0f %%  %d of %d %s", 100*share, p.Done, p.Of, p.What)
	if done := p.Done - r.from; done > 0 {
		each := now.Sub(r.since) / time.Duration(done)
		line += fmt.Sprintf(", %.3g/s, %v left", time.Second.Seconds()/each.Seconds(), (each * time.Duration(max(0, p.Of-p.Done))).Round(time.Second))
	}
	if p.Note != "" {
		line += "; " + p.Note
	}
	return line
}
