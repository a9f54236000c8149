package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// TryLock takes the advisory lock of a file or folder, and returns the function that unlocks it. If another process has
// the lock, unlock is nil and there is no error. The system also releases the lock when this process ends.
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
		// A child process that is just starting may have a copy of the open file, and would keep the lock after Close.
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}
