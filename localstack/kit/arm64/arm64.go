// Package arm64 knows how this machine runs the deployed programs: Lambda's processor is an arm64.
package arm64

import (
	"errors"
	"os/exec"
	"runtime"
)

// emulator is Debian's and Ubuntu's name for the static build, which needs no arm64 libraries and no registration with
// the kernel (binfmt): each command begins with it.
const emulator = "qemu-aarch64-static"

// Emulator returns the program that runs arm64 binaries for Linux, or "" if they run natively.
func Emulator() (string, error) {
	if runtime.GOOS == "linux" && runtime.GOARCH == "arm64" {
		return "", nil
	}
	path, err := exec.LookPath(emulator)
	if err != nil {
		return "", errors.New(emulator + " is missing, which runs arm64 binaries: install qemu-user-static")
	}
	return path, nil
}
