package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

const (
	barWidth = 30
	// How often a terminal shows progress, and anything else gets a line of it.
	barEvery  = 500 * time.Millisecond
	lineEvery = 20 * time.Second
)

// showProgress tells how far it is: on a terminal in one line that is written anew, elsewhere a few times a minute. It
// ends with the function that it returns.
func showProgress(out *os.File, f *figures, of int) (end func()) {
	watched := term.IsTerminal(int(out.Fd()))
	every := lineEvery
	if watched {
		every = barEvery
	}
	over, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
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
			case <-tick.C:
			}
			line := progressLine(f, of, time.Since(began), watched)
			if watched {
				fmt.Fprint(out, "\r", line, "\x1b[K")
			} else {
				fmt.Fprintln(out, line)
			}
		}
	}()
	return func() { close(over); <-ended }
}

func progressLine(f *figures, of int, took time.Duration, bar bool) string {
	calls, checks, violations := f.soFar()
	share := min(1, float64(calls)/float64(of))
	rate := float64(calls) / took.Seconds()
	line := fmt.Sprintf("%3.0f %%  %d of %d calls, %.0f/s", 100*share, calls, of, rate)
	if rate > 0 {
		line += fmt.Sprintf(", %v left", time.Duration(float64(max(0, of-calls))/rate*float64(time.Second)).Round(time.Second))
	}
	line += fmt.Sprintf(", %d checks, %d violations", checks, violations)
	if bar {
		full := int(share * barWidth)
		line = "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + line
	}
	return line
}
