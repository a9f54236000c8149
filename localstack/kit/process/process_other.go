//go:build !linux

package process

import "syscall"

// attributes gives the child a process group. On this system it cannot make the child end with its parent.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
