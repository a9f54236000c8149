//go:build !linux

package gateway

import "syscall"

// alive says whether there is such a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
