package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// TryLock takes the advisory lock of the file or folder. unlock is nil if another process has it. The end of the
// process unlocks, too.
func TryLock(path string) (unlock func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, f.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return func() {
		// Closing is not enough: a child that is just being started may have the file, too, and would keep the lock.
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}

// Lock waits for the lock.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		if unlock, err = TryLock(path); err != nil || unlock != nil {
			return unlock, err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
