//go:build !linux

package processtest

import "syscall"

// Process is a process that has been seen.
type Process struct {
	PID  int
	Name string
}

// Alive is not asked where Descendants finds none.
func (Process) Alive() bool { return false }

// Alive reports whether there is a process with the number.
func Alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// Descendants finds none: other systems have no /proc to look in.
func Descendants(int) []Process { return nil }
