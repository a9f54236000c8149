// Package arm64 finds the program that runs the deployed programs, which are compiled for Lambda's arm64 processors, on
// this machine.
package arm64

import (
	"errors"
	"os/exec"
	"runtime"
)

// emulator is the name that Debian and Ubuntu give to the static build of QEMU for arm64. This build needs no arm64
// libraries and no registration with the kernel (binfmt), if each command begins with its name.
const emulator = "qemu-aarch64-static"

// Emulator returns the path of the program that runs arm64 binaries for Linux on this machine. It returns "" if the
// machine can run them itself. An error says that the program is missing.
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
