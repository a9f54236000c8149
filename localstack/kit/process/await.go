package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrEnded is the error of Await if the child has ended.
var ErrEnded = errors.New("it ended at its start")

// Await calls ready at the interval every until ready returns nil, for example until a new server answers. If the child
// process ends earlier, Await returns ErrEnded. If ctx ends earlier, the error has ctx's error and the last error of
// ready.
func (p *Process) Await(ctx context.Context, every time.Duration, ready func(context.Context) error) error {
	poll := time.NewTicker(every)
	defer poll.Stop()
	for {
		err := ready(ctx)
		select {
		case <-p.done: // another process may have answered at its address
			return ErrEnded
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-p.done: // returned above
		case <-ctx.Done():
			return fmt.Errorf("it did not answer: %w: %w", ctx.Err(), err)
		}
	}
}
