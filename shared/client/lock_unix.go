//go:build unix && !aix && !solaris

package client

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a file and returns a function that releases the lock. If this process or another process
// already has the lock, held is true and unlock is nil.
func tryLock(path string) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return func() { _ = f.Close() }, false, nil // closing the file unlocks it
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return nil, true, f.Close()
	}
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: errors.Join(err, f.Close())}
}
