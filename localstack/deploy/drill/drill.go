package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/deploy/drill/runbook"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// apiID stands for the API among the dimensions of its metrics.
const apiID = "api"

// drill is a service whose metrics are watched.
type drill struct {
	template *samtemplate.Template
	out      io.Writer
	cloud    *cloud
	stack    *stack.Stack
	players  *players

	mu    sync.Mutex
	data  *cloudwatch.Data // of the scene that is played
	now   time.Time        // by the clock of the alarms
	lines map[string]int   // how many each function has written, and how many are about a request
	wrong error            // the first line that CloudWatch would not take
}

func (d *drill) open(ctx context.Context) (err error) {
	d.lines = map[string]int{}
	d.begin()
	if d.cloud, err = openCloud(ctx, d.template); err != nil {
		return err
	}
	// Keys are read again after a second instead of five minutes, so that a spoiled secret shows.
	for _, f := range d.template.Functions {
		if _, reads := f.Environment["SIGNING_KEYS_SECRET"]; reads {
			f.Environment["SIGNING_KEYS_MAX_AGE"] = samtemplate.Value{Literal: keysAge.String()}
		}
	}
	if d.stack, err = stack.Serve(ctx, stack.Config{
		Template: d.template, Engine: d.cloud.asLocalStack, Kind: engine.LocalStack, Log: d.line, Throttled: d.throttled,
	}); err != nil {
		return err
	}
	d.players, err = newPlayers(ctx, d)
	return err
}

func (d *drill) close() (err error) {
	if d.stack != nil {
		err = d.stack.Close()
	}
	if d.cloud != nil {
		d.cloud.close()
	}
	return err
}

// begin forgets all data; the clock begins at a time at which every period does.
func (d *drill) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data, d.now = &cloudwatch.Data{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
}

// line takes a line of a function's log: its metrics count in the present period.
func (d *drill) line(function, line string) {
	var data []cloudwatch.Datum
	var err error
	if json.Valid([]byte(line)) { // else no line of ours, which CloudWatch does not look into
		data, err = cloudwatch.ReadEMF([]byte(line))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil && d.wrong == nil {
		d.wrong = fmt.Errorf("a line of %s that CloudWatch does not take: %w: %s", function, err, line)
	}
	for _, x := range data {
		d.data.Add(cloudwatch.Point{Metric: cloudwatch.NewMetric(x.Namespace, x.Name, x.Dimensions), Time: d.now, Value: x.Value})
	}
	d.lines[function]++
	d.lines[requestOf(line)]++
}

// count adds what AWS counts by itself.
func (d *drill) count(namespace, name string, dimensions map[string]string, value float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data.Add(cloudwatch.Point{Metric: cloudwatch.NewMetric(namespace, name, dimensions), Time: d.now, Value: value})
}

func (d *drill) throttled(function string) {
	d.count("AWS/Lambda", "Throttles", map[string]string{"FunctionName": function}, 1)
}

// physical is what the template's references become here.
func (d *drill) physical(parameters map[string]string) map[string]string {
	all := stack.PhysicalIDs(engine.LocalStack)
	all["Api"] = apiID
	for _, f := range d.template.Functions {
		all[f.LogicalID] = f.LogicalID
	}
	maps.Copy(all, parameters)
	return all
}

// patience is for an alarm to fire, or to clear.
const patience = 2 * time.Minute

// play plays a scene and prints its line.
func (d *drill) play(ctx context.Context, s scene, section runbook.Section) (err error) {
	i := slices.IndexFunc(d.template.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == s.alarm })
	alarm, err := cloudwatch.New(d.template, d.template.Alarms[i], d.physical(s.parameters))
	if err != nil {
		return err
	}
	d.begin()
	faulty := s.round
	if s.faulty != nil {
		faulty = s.faulty
	}
	state := cloudwatch.InsufficientData
	if _, err := d.until(ctx, s.round, alarm, &state, cloudwatch.OK); err != nil {
		return fmt.Errorf("before the fault: %w", err)
	}
	takeAway, err := s.start(ctx, d)
	end := sync.OnceValue(func() error { return takeAway(context.WithoutCancel(ctx), d) })
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return fmt.Errorf("bringing the fault about: %w", err)
	}
	fired, err := d.until(ctx, faulty, alarm, &state, cloudwatch.Alarming)
	if err != nil {
		return err
	}
	if err := d.command(ctx, section.Command, s); err != nil {
		return err
	}
	if err := end(); err != nil {
		return fmt.Errorf("taking the fault away: %w", err)
	}
	cleared, err := d.until(ctx, s.round, alarm, &state, cloudwatch.OK)
	if err != nil {
		return fmt.Errorf("after the fault: %w", err)
	}
	command, _, _ := strings.Cut(section.Command, " #")
	fmt.Fprintf(d.out, "%-21s %s: fired after %d × %v; `%s`; cleared after %d\n", s.alarm, s.fault, fired, alarm.Period, strings.TrimSpace(command), cleared)
	return nil
}

// until plays periods of such calls until the alarm is in the state that is wanted, and returns how many.
func (d *drill) until(ctx context.Context, round action, a *cloudwatch.Alarm, state *cloudwatch.State, want cloudwatch.State) (periods int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		if err := d.period(ctx, round, a.Period); err != nil {
			return periods, err
		}
		periods++
		if *state, err = a.Evaluate(d.data, d.now, *state); err != nil || *state == want {
			return periods, err
		}
	}
	return periods, fmt.Errorf("after %d periods it is %s, want %s", periods, *state, want)
}

// period plays the calls of a period, takes what the table has counted meanwhile, and ends it.
func (d *drill) period(ctx context.Context, round action, length time.Duration) error {
	before := d.cloud.counted()
	if err := round(ctx, d); err != nil {
		return err
	}
	for name, value := range d.cloud.counted() {
		if more := value - before[name]; more > 0 { // AWS leaves out what is 0
			d.count("AWS/DynamoDB", name, map[string]string{"TableName": stack.TableName}, more)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(length)
	return d.wrong
}

// shell prepares a program as an operator calls it: in the working tree, with the stack's outputs in the environment.
func (d *drill) shell(ctx context.Context, endpoint, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = d.template.Root
	cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+endpoint, "AWS_REGION="+running.Region, "AWS_ACCESS_KEY_ID="+running.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey, "TABLE_NAME="+stack.TableName, "SIGNING_KEYS_SECRET="+stack.SecretName)
	return cmd
}

// operate runs the operators' tool, past all faults of the table, and decodes what it prints; nil: it is not looked at.
func (d *drill) operate(ctx context.Context, into any, args ...string) error {
	endpoint := d.cloud.engine.Endpoint()
	cmd := d.shell(ctx, endpoint, filepath.Join(d.template.Root, "bin", "ranchctl"), append(args, "--endpoint", endpoint)...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	out, err := cmd.Output()
	if err == nil && into != nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		return fmt.Errorf("ranchctl %s: %w: %s%s", strings.Join(args, " "), err, &printed, out)
	}
	return nil
}

// command runs a command of the runbook.
func (d *drill) command(ctx context.Context, command string, s scene) error {
	cmd := d.shell(ctx, d.cloud.endpoint, "bash", "-c", command)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != s.exit || !strings.Contains(printed.String(), s.prints) {
		return fmt.Errorf("the runbook's %s: %w, want the exit code %d and %q in:\n%s", command, err, s.exit, s.prints, &printed)
	}
	return nil
}
