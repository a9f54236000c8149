package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrEnded is the error of Await if the child has ended.
var ErrEnded = errors.New("it ended at its start")

// Await polls until ready returns nil, for example until a server that was just started answers. If the child ends
// meanwhile, the error is ErrEnded. If ctx ends, it is ctx's, with ready's last one.
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
