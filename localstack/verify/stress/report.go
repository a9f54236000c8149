package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// printFigures prints what was counted.
func printFigures(out io.Writer, f *figures, s settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(out, "\n%d calls in %d rounds of seed %d, %.1f minutes, %d checks\n\n", f.Calls, f.Rounds, s.seed, f.Minutes, f.Checks)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, kind := range sortedKeys(f.CallsByKind) {
		total := 0
		for _, n := range f.CallsByKind[kind] {
			total += n
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", kind, total, counts(f.CallsByKind[kind]))
	}
	fmt.Fprintf(w, "\nfaults\t\t%s\n", counts(f.Faults))
	fmt.Fprintf(w, "came of them\t\t%s\n", counts(f.Effects))
	fmt.Fprintf(w, "functions\t\t%s\n", counts(f.Functions))
	fmt.Fprintf(w, "killed\t\t%s\n", counts(f.Killed))
	fmt.Fprintf(w, "failed\t\t%s\n", counts(f.Causes))
	fmt.Fprintf(w, "nobody was told\t%d\tof which the log tells %d\n", f.Unknown+f.LogTells, f.LogTells)
	if f.Unlogged > 0 {
		fmt.Fprintf(w, "not in the log\t%d\t\n", f.Unlogged)
	}
	if f.BrokenOff+f.Uncompared > 0 {
		fmt.Fprintf(w, "not compared\t%d\tin rounds that were broken off: %d\n", f.Uncompared, f.BrokenOff)
	}
	fmt.Fprintf(w, "violations\t%d\t\n", f.Violations)
	w.Flush()
}

func counts[N int | int64](m map[string]N) string {
	var parts []string
	for _, what := range sortedKeys(m) {
		if m[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d × %s", m[what], what))
		}
	}
	return strings.Join(parts, ", ")
}

// printViolation prints a violation with its story, and how to see its like again.
func printViolation(out io.Writer, number int, v violation, s settings) {
	fmt.Fprintf(out, "\nviolation %d, in the calls %d to %d of round %d: %s\n", number, v.from, v.to, v.round, v.what)
	for _, line := range v.story {
		fmt.Fprintln(out, "  "+line)
	}
	fmt.Fprintf(out, "  all calls: .build/torture/round-%d; again: make torture SEED=%d ROUND=%d OPS=%d%s\n", v.round, s.seed, v.round, v.to, s.besides)
}
