package main

import (
	"fmt"
	"io"
	"strings"
)

// mostReached is how many of the tests that come by a mutant are named.
const mostReached = 12

// report writes what came of the mutants into the list, and says what is wrong. It returns how many are, but for those
// that the list had as surviving.
func report(w io.Writer, verdicts []verdict, excuses map[Name]string, into list, every bool) (wrong int) {
	for _, v := range verdicts {
		if v.mutant == nil { // not run, since something had failed
			continue
		}
		m := v.mutant
		sentence := excuses[m.Name]
		switch {
		case v.broken != "":
			wrong++
			into[m.Name] = survives
			fmt.Fprintf(w, "BROKEN, since the table refuses the condition as such:\n%s  %s\n\n", m.diff(), v.broken)
		case len(v.by) > 0 && sentence != "":
			wrong++
			into[m.Name] = v.caught()
			fmt.Fprintf(w, "EXCUSED, but caught by %s: take it out of %s.\n%s\n", v.by[0], excusesPath, m.diff())
		case len(v.by) > 0:
			into[m.Name] = v.caught()
			if every {
				fmt.Fprintf(w, "%s  caught by %s\n\n", m.diff(), strings.Join(v.by, ", "))
			}
		case sentence != "":
			into[m.Name] = excused
		default:
			wrong++
			into[m.Name] = survives
			fmt.Fprintf(w, "SURVIVES:\n%s  %s\n\n", m.diff(), come(v.reached))
		}
	}
	return wrong
}

// caught is what the list says of a mutant that a test catches.
func (v verdict) caught() string {
	if v.hangs {
		return caughtBy + v.by[0] + hanging
	}
	return caughtBy + v.by[0]
}

// come says which tests come by a mutant.
func come(tests []string) string {
	switch {
	case len(tests) == 0:
		return "no test comes by it"
	case len(tests) > mostReached:
		return fmt.Sprintf("%d tests come by it, such as %s", len(tests), strings.Join(tests[:mostReached], ", "))
	}
	return "reached by " + strings.Join(tests, ", ")
}

// summary counts what the list says, beside how many mutants were run.
func (l list) summary(run int) string {
	count := map[string]int{}
	for name, verdict := range l {
		if killer, _ := l.killer(name); killer != "" {
			verdict = caughtBy
		}
		count[verdict]++
	}
	return fmt.Sprintf("%d mutants run; of all %d, %d are caught, %d excused, %d survive, %d have not been run",
		run, len(l), count[caughtBy], count[excused], count[survives], count[unknown])
}
