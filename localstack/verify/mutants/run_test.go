package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// repositoryOf makes a repository of the files, with git's own and without.
func repositoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// small is a repository with one rule and one guard, and a test of each: the rule's leaves its boundary out.
var small = map[string]string{
	"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n",
	"shared/game/pay.go": `package game

func Pay(balance, fee int64) (int64, bool) {
	if balance < fee {
		return balance, false
	}
	return balance - fee, true
}
`,
	"shared/game/pay_test.go": `package game

import "testing"

func TestPay(t *testing.T) {
	if left, ok := Pay(5, 3); left != 2 || !ok {
		t.Error(left, ok)
	}
}

func TestPayTooMuch(t *testing.T) {
	if left, ok := Pay(3, 5); left != 3 || ok {
		t.Error(left, ok)
	}
}
`,
	"shared/store/guard.go": `package store

func Guard() string { return "st = :open AND (n = :seen OR attribute_not_exists(n))" }
`,
	"shared/store/guard_test.go": `package store

import "testing"

func TestGuard(t *testing.T) {
	if got := Guard(); got != "st = :open AND (n = :seen OR attribute_not_exists(n))" {
		t.Error(got)
	}
}
`,
	listPath:    "",
	figuresPath: "{}",
}

// TestRun hunts every mutant of a small repository, by the Go tool and in processes as those of the large one.
func TestRun(t *testing.T) {
	t.Parallel()
	root := repositoryOf(t, small)
	hunted := func(variables ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), root, func(name string) string {
			for _, v := range variables {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value
				}
			}
			return ""
		}, &out)
		return out.String(), err
	}
	out, err := hunted()
	if err == nil || !strings.Contains(err.Error(), "1 of 12 mutants survive") {
		t.Errorf("got %v\n%s", err, out)
	}
	want := "shared/game/pay.go:4: Pay: <= for <\n  - balance < fee\n  + balance <= fee\n  reached by shared/game.TestPay, shared/game.TestPayTooMuch"
	if other := strings.Replace(want, "TestPay, shared/game.TestPayTooMuch", "TestPayTooMuch, shared/game.TestPay", 1); !strings.Contains(out, want) && !strings.Contains(out, other) {
		t.Errorf("got %s", out)
	}
	known, err := readList(root)
	for n, killer := range map[Name]string{
		{"shared/game/pay.go", "Pay", "never", "balance < fee"}:                                                                                         "shared/game.TestPayTooMuch",
		{"shared/game/pay.go", "Pay", "+ for -", "balance - fee"}:                                                                                       "shared/game.TestPay",
		{"shared/store/guard.go", "Guard", "without n = :seen", `"st = :open AND (n = :seen OR attribute_not_exists(n))"`}:                              "shared/store.TestGuard",
		{"shared/store/guard.go", "Guard", "without (n = :seen OR attribute_not_exists(n))", `"st = :open AND (n = :seen OR attribute_not_exists(n))"`}: "shared/store.TestGuard",
	} {
		if got, hangs := known.killer(n); got != killer || hangs {
			t.Errorf("%v: %q", n, known[n])
		}
	}
	if err != nil {
		t.Error(err)
	}

	// Two at the same time would compile into each other's folder.
	unlock, err := process.TryLock(filepath.Join(root, ".build", "mutants"))
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	if out, err := hunted("FILE=pay.go"); err == nil || !strings.Contains(err.Error(), "others are hunted") {
		t.Errorf("%v\n%s", err, out)
	}
	unlock()

	// What is not run is not counted.
	if out, err := hunted("MINUTES=0.0000001"); !errors.Is(err, errTooLong) {
		t.Errorf("%v\n%s", err, out)
	}
	if n := countHunted([]verdict{{}, {mutant: &Mutant{}}, {}}); n != 1 {
		t.Errorf("of one, %d were run", n)
	}

	// An excuse that is true, and one that is not.
	survivor := "\tshared/game/pay.go\tPay\t<= for <\tbalance < fee\n"
	excuse := func(text string) {
		if err := os.WriteFile(filepath.Join(root, excusesPath), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	excuse("It is the same.\n" + survivor)
	if out, err := hunted("FILE=pay.go"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	excuse("It is the same.\n" + survivor + "\tshared/game/pay.go\tPay\tnever\tbalance < fee\n")
	if out, err := hunted("NAME=never"); err == nil || !strings.Contains(out, "EXCUSED, but caught by shared/game.TestPayTooMuch") {
		t.Errorf("%v\n%s", err, out)
	}
	excuse("It is the same.\n" + survivor)

	// All tests that catch one, and what the changes since a commit matter to.
	if out, err := hunted("NAME=not", "EVERY=1"); err != nil || !strings.Contains(out, "caught by shared/game.TestPay") || !strings.Contains(out, "shared/game.TestPayTooMuch") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, arguments := range [][]string{
		{"init", "-q"}, {"add", "go.mod", "shared", "localstack"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "A"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", arguments...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	if out, err := hunted("CHANGED=HEAD"); err != nil || !strings.Contains(out, "0 mutants run; of all 12, 11 are caught, 1 excused") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(root, "shared/store/guard_test.go"), []byte(small["shared/store/guard_test.go"]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := hunted("CHANGED=HEAD"); err != nil || !strings.Contains(out, "7 mutants run") {
		t.Errorf("%v\n%s", err, out)
	}
}
