package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// choose returns the mutants that the environment asks for: FILE, a part of the file's path; NAME, a pattern for the
// name; STATE, what the list says; CHANGED, a commit, for those that changes since then may matter to.
func choose(ctx context.Context, root string, mutants []*Mutant, known list, environ func(string) string) ([]*Mutant, error) {
	name, err := regexp.Compile(environ("NAME"))
	if err != nil {
		return nil, fmt.Errorf("NAME: %w", err)
	}
	touched := func(Name) bool { return true }
	if base := environ("CHANGED"); base != "" {
		if touched, err = changedSince(ctx, root, base, known); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(mutants), func(m *Mutant) bool {
		return !strings.Contains(m.File, environ("FILE")) || !name.MatchString(m.String()) || !touched(m.Name) ||
			environ("STATE") != "" && !strings.HasPrefix(known[m.Name], environ("STATE"))
	}), nil
}

// changedSince returns which mutants changes since a commit may matter to: those of files that have changed, and those
// that are caught by a test in a file that has.
func changedSince(ctx context.Context, root, base string, known list) (func(Name) bool, error) {
	git := func(arguments ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", arguments...)
		cmd.Dir = root
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", strings.Join(arguments, " "), err, stderr.String())
		}
		return string(out), nil
	}
	out, err := git(append([]string{"diff", "--name-only", base, "--"}, packagesMutated...)...)
	if err != nil {
		return nil, err
	}
	files := strings.Fields(out)
	tests := map[string]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		diff, err := git("diff", "--unified=100000", base, "--", file)
		if err != nil {
			return nil, err
		}
		dir, _, _ := cutLast(file, "/")
		for _, m := range testFunction.FindAllStringSubmatch(diff, -1) {
			tests[dir+"."+m[1]] = true
		}
	}
	return func(n Name) bool { return slices.Contains(files, n.File) || tests[known.killer(n)] }, nil
}

// testFunction is a test in a file, or in a difference.
var testFunction = regexp.MustCompile(`(?m)^[ +-]?func ((?:Test|Example|Fuzz)\w*)\(`)
