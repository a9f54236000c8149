//go:build !linux

package blackbox

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }
