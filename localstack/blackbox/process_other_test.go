//go:build !linux

package blackbox

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }

type child struct {
	pid  int
	name string
}

func (child) lives() bool { return false }

// descendants finds none: other systems have no /proc to look in.
func descendants(int) []child { return nil }
