// Package build runs make for programs that need what make builds or installs.
package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Make runs make with the given arguments in root, the root of the working tree. Functions are thus compiled with the
// Makefile's flags. If ctx ends, make and its children end, too.
func Make(ctx context.Context, root string, out io.Writer, arguments ...string) error {
	if _, err := exec.LookPath("make"); err != nil {
		return fmt.Errorf("GNU make is missing: install it: %w", err)
	}
	cmd := exec.Command("make", append([]string{"-s"}, arguments...)...)
	cmd.Dir = root
	// If another make has started this process, its flags must not reach the new make.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"}, name)
	})
	cmd.Stdout, cmd.Stderr = out, out
	if err := process.Run(ctx, cmd); err != nil {
		return fmt.Errorf("make %s: %w", strings.Join(arguments, " "), err)
	}
	return nil
}
