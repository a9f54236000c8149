//go:build !linux

package gateway

import "syscall"

// processAttributes puts a process into a group of its own. Only Linux can have it die together with the gateway's process.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
