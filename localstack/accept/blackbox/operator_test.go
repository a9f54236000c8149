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

// operator runs the operators' tool on the table that the flags name, or else on that of the `make run` in the folder.
type operator struct {
	flags  []string
	folder string
}

func (o operator) run(args ...string) (stdout, stderr string, exit int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, suite.programs.ranchctl, append(slices.Clone(o.flags), args...)...)
	if o.folder != "" {
		cmd.Dir, cmd.Env = o.folder, append(os.Environ(), "TABLE_NAME=")
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return out.String(), errs.String(), failed.ExitCode(), nil
	}
	return out.String(), errs.String(), 0, err
}

// verifyLedgers returns an error unless every ledger of the table is right.
func (o operator) verifyLedgers() error {
	stdout, stderr, exit, err := o.run("ledger", "verify")
	if err == nil && (exit != 0 || !strings.Contains(stdout, "ledgers are right.")) {
		err = fmt.Errorf("ledger verify: %s%s", stdout, stderr)
	}
	return err
}

// ranchctl runs a command on the suite's table, which must succeed, and decodes what it prints.
func ranchctl(into any, args ...string) error {
	stdout, stderr, exit, err := suite.operator.run(append(args, "-o", "json")...)
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

// set has an operator create or change something, or look at it.
func set(t testing.TB, args ...string) object {
	t.Helper()
	return operated[object](t, args)
}

func setList(t testing.TB, args ...string) []object {
	t.Helper()
	return operated[[]object](t, args)
}

func operated[V any](t testing.TB, args []string) (v V) {
	t.Helper()
	if err := ranchctl(&v, args...); err != nil {
		t.Fatal(err)
	}
	return v
}
