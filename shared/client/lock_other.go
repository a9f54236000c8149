//go:build !windows && (!unix || aix || solaris)

package client

import (
	"errors"
	"os"
)

// tryLock returns errors.ErrUnsupported: this system has no lock that ends with the process.
func tryLock(path string) (unlock func(), held bool, err error) {
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
