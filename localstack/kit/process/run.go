package process

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Run runs a command until its end, and returns its error as exec.Cmd's Run does. If ctx ends earlier, Run stops the
// child with a grace period of five seconds, and returns ctx's error.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	p, err := Start(cmd)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
		return p.Wait()
	case <-ctx.Done():
		p.Stop(5 * time.Second)
		return ctx.Err()
	}
}

const (
	startPatience = time.Minute           // how long Serve waits until a server is ready
	pollPause     = 10 * time.Millisecond // the interval at which Serve calls ready
)

// Serve starts a server whose output goes to output. It returns when ready returns nil, for example because the server
// answers. If ctx ends or a minute passes earlier, Serve stops the server. If the start fails, the error has the end of
// the output. ctx limits only the start.
func Serve(ctx context.Context, cmd *exec.Cmd, output *Tail, ready func(context.Context) error) (*Process, error) {
	cmd.Stdout, cmd.Stderr = output, output
	p, err := Start(cmd)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if err := p.await(ctx, ready); err != nil {
		p.Stop(time.Second)
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	return p, nil
}

func (p *Process) await(ctx context.Context, ready func(context.Context) error) error {
	poll := time.NewTicker(pollPause)
	defer poll.Stop()
	for {
		err := ready(ctx)
		select {
		case <-p.done: // another process may have answered at its address
			return fmt.Errorf("it ended at its start (%v)", p.err)
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-p.done: // the next iteration returns
		case <-ctx.Done():
			return fmt.Errorf("it did not answer: %w: %w", ctx.Err(), err)
		}
	}
}
