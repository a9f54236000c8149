package main

import (
	"context"
	"time"
)

// judgeDueID is the logical id of the function that judges shows whose closing time is over.
const judgeDueID = "JudgeDue"

// judgeDue has the function do its work once, as EventBridge Scheduler does.
func (s *session) judgeDue(ctx context.Context, logs console) {
	if _, err := s.served.Invoke(ctx, judgeDueID, []byte("{}")); err != nil && ctx.Err() == nil {
		logs.line(judgeDueID, "the run failed: "+err.Error())
	}
}

// repeat calls do again and again, so far apart, one after the other, until the function that it returns is called or
// ctx ends. That one returns when nothing is under way any more.
func repeat(ctx context.Context, every time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if ctx.Err() != nil {
					return // both have come, and the choice between them is by chance
				}
				do(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
