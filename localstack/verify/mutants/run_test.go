package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// small is a repository with one rule and tests of it, which leave its boundary out.
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
	"shared/store/send.go": `package store

func Send() {}
`,
	// A test of the store that sends a guarded write, as package wire notes it, and misses the guard.
	"shared/store/send_test.go": `package store

import (
	"os"
	"testing"
)

func TestSend(t *testing.T) {
	const mutant = "Store.Send: Put A/B: always n = :seen"
	if notes := os.Getenv("RANCH_MUTANT_NOTES"); notes != "" {
		if err := os.WriteFile(notes, []byte(mutant+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("RANCH_MUTANT") == mutant {
		t.Error("the guard is missing")
	}
}
`,
	"shared/token/a.go":    "package token\n",
	"shared/password/a.go": "package password\n",
	excusesPath:            "",
}

// TestRun hunts every mutant of a small repository, by the Go tool and in processes as those of the large one.
func TestRun(t *testing.T) {
	t.Parallel()
	root := working(t, small)
	hunted := func(variables ...string) (out, failure string) {
		var printed bytes.Buffer
		err := run(t.Context(), root, func(name string) string {
			for _, v := range variables {
				if value, is := strings.CutPrefix(v, name+"="); is {
					return value
				}
			}
			return ""
		}, &printed)
		if err != nil {
			failure = err.Error()
		}
		return printed.String(), failure
	}
	excuse := func(text string) {
		if err := os.WriteFile(filepath.Join(root, excusesPath), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, out, failure, wantFailure string, want ...string) {
		t.Helper()
		if !strings.HasPrefix(failure, wantFailure) || (failure == "") != (wantFailure == "") {
			t.Errorf("%s: %q, want %q", what, failure, wantFailure)
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s: %q is not in\n%s", what, text, out)
			}
		}
	}
	const survivor = "game.Pay: <= for <: balance < fee"
	out, failure := hunted()
	check("all", out, failure, "1 mutants survive", "SURVIVES "+survivor+"\n  shared/game/pay.go:4\n  - balance < fee\n  + balance <= fee\n  2 tests come by it",
		"Mutants of requests: 1 run, 1 caught (0 of them hang), 0 excused, 0 survive", "Mutants of code: 5 run, 4 caught (0 of them hang), 0 excused, 1 survive")
	verdicts, err := os.ReadFile(filepath.Join(root, ".build", "mutants", "verdicts.txt"))
	check("verdicts", string(verdicts), "", "", "shared/game/pay.go:4\tgame.Pay: never: balance < fee\tcaught by shared/game.TestPayTooMuch\n")
	if err != nil {
		t.Error(err)
	}

	excuse("It is the same.\n\t" + survivor + "\n")
	out, failure = hunted()
	check("a true excuse", out, failure, "", "4 caught (0 of them hang), 1 excused, 0 survive")
	excuse("# Why.\n\nIt is the same.\n\t" + survivor + "\n\tgame.Pay: never: balance < fee\n\tgame.Gone: not: a\n")
	out, failure = hunted()
	check("false excuses", out, failure, "2 mutants survive", "EXCUSED, but caught by shared/game.TestPayTooMuch: game.Pay: never", "EXCUSED, but gone: game.Gone: not: a")
	for text, want := range map[string]string{
		"\ta\n": "stands below no sentence", "It is the same\n\ta\n": "is no sentence", "It is the same.\n\ta\n\ta\n": "is excused twice",
	} {
		excuse(text)
		if _, failure := hunted(); !strings.Contains(failure, want) {
			t.Errorf("%q: %s", text, failure)
		}
	}
	excuse("It is the same.\n\t" + survivor + "\n")

	// Samples that follow each other are of other mutants.
	seen := map[string]bool{}
	for _, seed := range []string{"SEED=0", "SEED=1", "SEED=2"} {
		out, failure = hunted("SAMPLE=2", seed, "PACKAGES=shared/game")
		check(seed, out, failure, "", "2 of 5 mutants, by SAMPLE=2 "+seed)
		verdicts, err := os.ReadFile(filepath.Join(root, ".build", "mutants", "verdicts.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(verdicts)) {
			seen[line] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("3 samples of 2 had %d mutants, want all 5", len(seen))
	}

	// Mutants of files that have changed come on top.
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "go.mod", "shared"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "A"}} {
		git := exec.CommandContext(t.Context(), "git", arguments...)
		git.Dir = root
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	out, failure = hunted("CHANGED=HEAD", "NAME=pay.go")
	check("nothing has changed", out, failure, "")
	if strings.Contains(out, "run,") {
		t.Error(out)
	}
	if err := os.WriteFile(filepath.Join(root, "shared/game/pay.go"), []byte(small["shared/game/pay.go"]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, failure = hunted("CHANGED=HEAD", "NAME=never")
	check("a rule has changed", out, failure, "", "Mutants of code: 1 run, 1 caught")
}
