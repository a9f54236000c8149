// Drill fires every alarm of template.yaml and lets it clear again: `make drill`, without Docker or an AWS account.
//
// The functions are the real programs. In a scene, the drill causes a fault or makes other calls, and evaluates the
// template's own alarms until the scene's alarm fires. The alarms use three kinds of metrics: metrics that the programs
// log, metrics that metric filters derive from the access log, and AWS's own. The drill then runs the first command of
// the alarm's section in docs/runbook.md, ends the fault, and waits until the alarm clears. The scene fails if an alarm
// fires that it does not expect. At the end the drill closes the API's doors for six hours, in which no alarm may fire.
//
//	main.go    one scene after the other
//	scenes.go  the scenes, one for each alarm, and their calls
//	drill.go   how a scene is played: fault, alarm, runbook, end
//	watch.go   the states of all alarms
//	faults.go  the faults
//	calls.go   players' calls, and what AWS counts of them
//	backend.go the table and the secret behind the functions, and the table's faults
//	runbook    the reader of docs/runbook.md
//
// ALARM=FaultsAlarm plays only this alarm's scene, without closing the doors.
//
// # Periods
//
// In the cloud, an alarm's period takes between a minute and six hours. In the drill, a period takes only as long as
// its calls. The drill plays the calls of a period, ends the period, evaluates the alarms, and plays the next period.
// So the speed of this machine does not matter, and an alarm over 30 hours takes only as long as the calls of its
// periods. The drill spreads the calls over the period's minutes. If a function runs every minute, one run in the drill
// counts for each minute of the period. The drill does not show how many calls a minute in the cloud has.
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
	fmt.Fprintln(out, "Here, a period of an alarm lasts as long as one round of a scene's calls, however long it is in the cloud.")
	for _, s := range played {
		section, found := sections[s.alarm]
		if !found {
			return fmt.Errorf("docs/runbook.md has no section on %s", s.alarm)
		}
		if err := d.play(ctx, s, section.Command); err != nil {
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
