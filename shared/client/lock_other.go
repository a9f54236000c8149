//go:build !windows && (!unix || aix || solaris)

package client

import (
	"errors"
	"os"
)

// tryLock has no lock here that the end of a process would open.
func tryLock(path string) (unlock func(), held bool, err error) {
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
