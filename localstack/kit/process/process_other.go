//go:build !linux

package process

import "syscall"

// attributes cannot make a child end with its parent on this system.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
