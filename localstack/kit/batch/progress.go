package batch

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Progress is how far a run is.
type Progress struct {
	What     string // is counted: "calls". Where it is another thing than before, its rate is taken anew
	Done, Of int
	Note     string // what else there is to say; "" is nothing
}

const (
	barWidth = 30
	// How often a terminal shows progress, and anything else gets a line of it.
	barEvery  = 500 * time.Millisecond
	lineEvery = 20 * time.Second
)

// Show tells again and again how far a run is: on a terminal in one line with a bar that is written anew, elsewhere in
// a line three times a minute. It ends with the function that it returns.
func Show(out *os.File, how func() Progress) (end func()) {
	watched := term.IsTerminal(int(out.Fd()))
	every := lineEvery
	if watched {
		every = barEvery
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
				if watched {
					fmt.Fprintln(out)
				}
				return
			case now := <-tick.C:
				if p := how(); watched {
					fmt.Fprintf(out, "\r%s %s\x1b[K", p.bar(), r.line(p, now))
				} else {
					fmt.Fprintln(out, r.line(p, now))
				}
			}
		}
	}()
	return func() { close(over); <-ended }
}

// share is how much of it is done, from 0 to 1.
func (p Progress) share() float64 { return min(1, float64(p.Done)/float64(max(p.Of, 1))) }

func (p Progress) bar() string {
	full := int(p.share() * barWidth)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// rate is how fast it goes, since something has been counted first.
type rate struct {
	what  string
	since time.Time
	from  int
}

// line is a progress as text.
func (r *rate) line(p Progress, now time.Time) string {
	if p.What != r.what {
		*r = rate{p.What, now, p.Done}
	}
	line := fmt.Sprintf("%3.0f %%  %d of %d %s", 100*p.share(), p.Done, p.Of, p.What)
	if done := p.Done - r.from; done > 0 {
		each := now.Sub(r.since) / time.Duration(done)
		line += fmt.Sprintf(", %.3g/s, %v left", time.Second.Seconds()/each.Seconds(), (each * time.Duration(max(0, p.Of-p.Done))).Round(time.Second))
	}
	if p.Note != "" {
		line += "; " + p.Note
	}
	return line
}
