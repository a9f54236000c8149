package gateway

import "syscall"

// processAttributes puts a process into a group of its own, and has it killed when the gateway's process dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
