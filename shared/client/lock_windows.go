package client

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is ERROR_SHARING_VIOLATION: the file is open elsewhere.
const sharingViolation = syscall.Errno(32)

// tryLock takes the lock of a file and returns a function that releases the lock. If this process or another process
// already has the lock, held is true and unlock is nil. tryLock opens the file without sharing, so that every other
// attempt to open the file fails.
func tryLock(path string) (unlock func(), held bool, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	const nobodyElse = 0
	file, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, nobodyElse, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return func() { _ = syscall.CloseHandle(file) }, false, nil
	case errors.Is(err, sharingViolation):
		return nil, true, nil
	}
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: err}
}
