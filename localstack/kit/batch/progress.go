package batch

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// Progress is how far a run is.
type Progress struct {
	What     string // is counted: "calls". If it changes, the rate is taken anew
	Done, Of int
	Note     string // what else there is to say; "" is nothing
}

// Show prints how far a run is, until the returned function is called: to a terminal in one line that changes twice a
// second, elsewhere in a line three times a minute.
func Show(out *os.File, how func() Progress) (end func()) {
	every, begin, finish := 20*time.Second, "", "\n"
	if term.IsTerminal(int(out.Fd())) {
		every, begin, finish = time.Second/2, "\r", "\x1b[K"
	}
	over, ended := make(chan struct{}), make(chan struct{})
	var r rate
	r.line(how(), time.Now())
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-over:
				if begin != "" {
					fmt.Fprintln(out)
				}
				return
			case now := <-tick.C:
				fmt.Fprint(out, begin, r.line(how(), now), finish)
			}
		}
	}()
	return func() { close(over); <-ended }
}

// rate is how fast a run is, since it began to count what it counts.
type rate struct {
	what  string
	since time.Time
	from  int
}

// line returns a progress as text.
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
