//go:build !linux

package process

import "syscall"

// attributes cannot tie a child's life to its parent's here.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
