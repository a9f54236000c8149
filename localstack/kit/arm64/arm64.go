// Package arm64 finds the emulator with which this machine runs the deployed programs, which are compiled for arm64.
package arm64

import (
	"errors"
	"os/exec"
	"runtime"
)

// emulator is the name that Debian and Ubuntu give to the static build of QEMU for arm64. The static build needs no
// arm64 libraries. It needs no registration with the kernel (binfmt) either, if each command begins with its name.
const emulator = "qemu-aarch64-static"

// Emulator returns the path of QEMU, which runs arm64 binaries for Linux on this machine, or an error if QEMU is
// missing. On Linux on arm64 it returns "", because no emulator is necessary.
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
