// Package blackbox tests the service from outside: over HTTP, through the real binaries, with scenes that the
// operators' tool sets.
//
// By itself it starts a stack of its own (ranch-local: gateway, functions and the engine that ENGINE names). These
// variables point it elsewhere:
//
//	RANCH_URL       base URL of the API, such as a deployed stack's
//	RANCH_TABLE     its table in the AWS environment, or
//	RANCH_ENDPOINT  its local DynamoDB, with or without RANCH_TABLE
//
// Every test has its own users, shows and tiers, so that it does not matter what else the table holds. They stay there:
// a deployed stack that is tested is one for tests.
package blackbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ranch-game/ranch/localstack/accept/contract"
)

// suite is what all tests share.
var suite struct {
	api      string   // base URL
	operator operator // of the table
	own      *stack   // nil where RANCH_URL points elsewhere
	programs programs
	season   object // the active season that scores count in
}

// hostile counts the inputs that were made to do harm.
var hostile atomic.Int64

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "blackbox:", err)
		code = max(code, 1)
	}
	fmt.Printf("hostile inputs: %d\n", hostile.Load())
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "ranch-blackbox-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if contracted.Contract, err = contract.LoadRoot(); err != nil {
		return 1, err
	}
	suite.api = strings.TrimSuffix(os.Getenv("RANCH_URL"), "/")
	if suite.programs, err = build(dir, suite.api == ""); err != nil {
		return 1, err
	}
	if suite.api == "" {
		if suite.own, err = startStack("SEED=none"); err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, suite.own.stop(syscall.SIGTERM)) }()
		suite.api, suite.operator.flags = suite.own.api, []string{"--endpoint", suite.own.endpoint, "--table", "ranch"}
	} else if suite.operator.flags, err = tableFlags(); err != nil {
		return 1, err
	}
	restore, err := findSeason()
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	code = m.Run()
	err = contractHeld()
	if suite.own != nil {
		err = errors.Join(err, suite.own.checkLog(), suite.operator.verifyLedgers())
	}
	return code, err
}

func tableFlags() (flags []string, err error) {
	for variable, flag := range map[string]string{"RANCH_TABLE": "--table", "RANCH_ENDPOINT": "--endpoint"} {
		if value := os.Getenv(variable); value != "" {
			flags = append(flags, flag, value)
		}
	}
	if flags == nil {
		return nil, errors.New("RANCH_URL needs RANCH_TABLE or RANCH_ENDPOINT, to set scenes with")
	}
	return append(flags, "--yes"), nil
}

// findSeason sees to it that a season is active, and knows which one it is. A season that it has made is deactivated in
// the end.
func findSeason() (restore func() error, err error) {
	seasons, err := activeSeasons()
	if err != nil {
		return nil, err
	}
	if len(seasons) > 0 {
		suite.season = seasons[0]
		return func() error { return nil }, nil
	}
	if err := ranchctl(&suite.season, "season", "create", "--name", "Black box", "--start", "-1d", "--end", "+30d", "--activate"); err != nil {
		return nil, err
	}
	return func() error { return ranchctl(new(object), "season", "deactivate", suite.season["id"].(string)) }, nil
}

// programs are the paths of what is built for the tests.
type programs struct{ root, dir, ranchctl, ranchLocal, tour, functions string }

// build compiles the programs. The functions are built by the Makefile, as ranch-local does it, but not where a
// developer's `make run` has them.
func build(dir string, local bool) (programs, error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return programs{}, err
	}
	p := programs{
		root: root, dir: dir,
		ranchctl: filepath.Join(dir, "ranchctl"), ranchLocal: filepath.Join(dir, "ranch-local"), tour: filepath.Join(dir, "ranch-tour"),
		functions: filepath.Join(dir, "functions"),
	}
	commands := [][]string{{"go", "build", "-o", p.ranchctl, "./infra/ranchctl"}}
	if local {
		commands = append(commands, []string{"go", "build", "-o", p.ranchLocal, "./localstack/run"}, []string{"go", "build", "-o", p.tour, "./localstack/run/tour"})
	}
	for _, command := range commands {
		c := exec.Command(command[0], command[1:]...)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			return programs{}, fmt.Errorf("%v: %w\n%s", command, err, out)
		}
	}
	return p, nil
}

// newStack starts a stack that a test may harm. What the test leaves running is ended.
func newStack(t *testing.T, why string, variables ...string) *stack {
	t.Helper()
	ownStack(t, why)
	s, err := startStack(variables...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.process.Done():
		default:
			_ = s.stop(syscall.SIGTERM) // the test has failed already
		}
	})
	return s
}

// ownStack leaves a test out where the suite did not start the stack itself: it needs what only that one has.
func ownStack(t *testing.T, why string) {
	t.Helper()
	if suite.own == nil {
		t.Skipf("NOT TESTED with RANCH_URL: %s", why)
	}
}

// needPrograms leaves a test out where this machine lacks what it runs; CI has all of it.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip("NOT TESTED: ", err)
		}
	}
}
