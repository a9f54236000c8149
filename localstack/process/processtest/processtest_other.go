//go:build !linux

package processtest

type Process struct {
	PID  int
	Name string
}

func (Process) Lives() bool { return false }

// Descendants finds none: other systems have no /proc to look in.
func Descendants(int) []Process { return nil }
