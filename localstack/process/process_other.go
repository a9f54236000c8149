//go:build !linux

package process

import "syscall"

// childAttributes cannot tie the child's life to ours here: only Close ends it.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
