package blackbox

import "syscall"

// childAttributes make a child end with the tests, however these end.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
