//go:build !windows && (!unix || aix || solaris)

package client

import (
	"errors"
	"os"
)

// tryLock fails: this system has no lock that is released when the process ends.
func tryLock(path string) (unlock func(), held bool, err error) {
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
