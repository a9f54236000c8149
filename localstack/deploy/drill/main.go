// Drill fires every alarm of template.yaml and lets it clear again: `make drill`, without Docker or an AWS account.
//
// The functions are the real programs. A fault is brought about, and the template's own alarms are evaluated over
// the metrics that the programs emit in their logs, those that metric filters make of the access log, and those that
// AWS would count by itself, until the scene's alarm fires. Then the first command of its section in docs/runbook.md is
// run, the fault is taken away, and the alarm clears. The scene fails if any other alarm fires than those that it
// expects. In the end the doors are closed for six hours, and no alarm fires.
//
//	main.go    one scene after the other
//	scenes.go  the scenes, one for each alarm, and their calls
//	drill.go   how a scene is played: fault, alarm, runbook, end
//	watch.go   the states of all alarms
//	faults.go  faults that are more than a setting
//	calls.go   players' calls, and what AWS counts of them
//	cloud.go   what is behind the functions: the table and the secret, and how the table fails
//	runbook    the reader of docs/runbook.md
//
// ALARM=FaultsAlarm plays one scene alone.
//
// # Periods
//
// An alarm's period takes a minute or six hours; the drill's takes as long as its calls: the drill plays the calls of a
// period, says that the period is over, evaluates the alarms, and plays the next one. So nothing depends on how fast
// this machine is, and an alarm that looks at 30 hours is drilled in a moment. The calls are spread over the
// period's minutes, and a run of a function whose schedule is a minute's stands for one in each of them. What this does
// not show is how many calls there are in a minute of the cloud's.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/deploy/drill/runbook"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("drill", "", func(ctx context.Context) error { return run(ctx, os.Stdout) })
}

func run(ctx context.Context, out io.Writer) (err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	sections, err := runbook.Read(template.Root)
	if err != nil {
		return err
	}
	played := scenes
	if only := os.Getenv("ALARM"); only != "" {
		played = slices.DeleteFunc(slices.Clone(scenes), func(s scene) bool { return s.alarm != only })
		if len(played) == 0 {
			return fmt.Errorf("ALARM=%s: there is no such alarm", only)
		}
	}
	if err := stack.Prepare(ctx, template, out); err != nil {
		return err
	}
	began := time.Now()
	d := &drill{template: template, out: out}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.open(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "A period of an alarm's is one round of a scene's calls here, however long it is in the cloud.")
	for _, s := range played {
		i := slices.IndexFunc(sections, func(section runbook.Section) bool { return section.Alarm == s.alarm })
		if i < 0 {
			return fmt.Errorf("%s has no section on %s", runbook.Page, s.alarm)
		}
		if err := d.play(ctx, s, sections[i]); err != nil {
			return fmt.Errorf("%s: %w", s.alarm, err)
		}
	}
	if len(played) > 1 {
		if err := d.closure(ctx); err != nil {
			return fmt.Errorf("closed doors: %w", err)
		}
	}
	fmt.Fprintf(out, "%d of %d alarms fired and cleared, in %d s\n", len(played), len(template.Alarms), int(time.Since(began).Seconds()))
	return nil
}
