package blackbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// operate runs the operators' tool on the suite's table.
func operate(args ...string) (stdout, stderr string, exit int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, suite.programs.ranchctl, append(slices.Clone(suite.table), args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return out.String(), errs.String(), failed.ExitCode(), nil
	}
	return out.String(), errs.String(), 0, err
}

// ranchctl runs a command that must succeed, and decodes what it prints.
func ranchctl(into any, args ...string) error {
	stdout, stderr, exit, err := operate(append(args, "-o", "json")...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("exit code %d", exit)
	}
	if err != nil {
		return fmt.Errorf("ranchctl %q: %w: %s", args, err, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.UseNumber()
	return d.Decode(into)
}

func set(t testing.TB, args ...string) object {
	t.Helper()
	var o object
	if err := ranchctl(&o, args...); err != nil {
		t.Fatal(err)
	}
	return o
}

func setList(t testing.TB, args ...string) []object {
	t.Helper()
	var l []object
	if err := ranchctl(&l, args...); err != nil {
		t.Fatal(err)
	}
	return l
}

// verifyLedgers has the operators' tool check every ledger that the tests have left behind.
func verifyLedgers() error {
	stdout, stderr, exit, err := operate("ledger", "verify")
	if err == nil && exit != 0 {
		err = fmt.Errorf("ledger verify: %s%s", stdout, stderr)
	}
	return err
}

// checkLedgers has the operators' tool verify every ledger of a stack, which it finds by the stack's working tree.
func checkLedgers(t *testing.T, s *stack) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), suite.programs.ranchctl, "ledger", "verify")
	cmd.Dir, cmd.Env = s.tree, append(os.Environ(), "TABLE_NAME=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ledgers are right.") {
		t.Errorf("ledger verify: %v: %s", err, out)
	}
}
