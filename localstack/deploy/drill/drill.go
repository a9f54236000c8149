package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/deploy/cloud"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

const (
	apiID   = "api"     // the API's id in the dimensions of its metrics
	version = "$LATEST" // of each function: the local gateway has no others
)

// drill is a service with the metrics that its alarms read.
type drill struct {
	template *samtemplate.Template
	out      io.Writer
	backend  *backend
	stack    *stack.Stack
	players  *players
	filters  []*cloudwatch.Filter // of the access log
	off      string               // the function whose schedule is off

	mu    sync.Mutex
	data  *cloudwatch.Data // of the present scene
	now   time.Time        // beginning of the present period, by the alarms' clock
	end   time.Time        // end of the present period
	at    time.Time        // in the period, when the latest call counts
	lines map[string]int   // number of lines by function, by request id, and by accessed(request)
	wrong error            // the first line that CloudWatch would not accept
}

func (d *drill) open(ctx context.Context) (err error) {
	d.data, d.lines = &cloudwatch.Data{}, map[string]int{}
	for _, f := range d.template.MetricFilters {
		filter, err := cloudwatch.NewFilter(d.template, f, d.physical(nil))
		if err != nil {
			return err
		}
		d.filters = append(d.filters, filter)
	}
	if d.backend, err = openBackend(ctx, d.template); err != nil {
		return err
	}
	// Keys are read again after a second instead of five minutes, so that a spoiled secret shows.
	for _, f := range d.template.Functions {
		f.Environment["KEYS_MAX_AGE"] = samtemplate.Value{Literal: keysAge.String()}
	}
	if d.stack, err = stack.Serve(ctx, stack.Config{
		Template: d.template, Engine: d.backend.asLocalStack, Kind: engine.LocalStack, Log: d.line, Invoked: d.invoked, Throttled: d.throttled, Access: d.access,
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
	if d.backend != nil {
		d.backend.close()
	}
	return err
}

// before is how long the drill plays without a fault before a scene. It is the longest period of an alarm.
const before = 6 * time.Hour

// begin forgets all metrics and sets the drill's clock so that every alarm's period begins when the scene begins. Then
// it plays the time before the scene. It returns a watch of the alarms for these parameters of the template.
func (d *drill) begin(ctx context.Context, parameters map[string]string) (*watch, error) {
	w, err := newWatch(d.template, d.physical(parameters))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.data, d.now = &cloudwatch.Data{}, start.Add(-before)
	d.mu.Unlock()
	return w, d.period(ctx, scheduled("AuditLedgers"), before)
}

// next moves the drill's clock to the minute of the next call. So it spreads calls evenly over the minutes of a period.
func (d *drill) next() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at = d.at.Add(time.Minute); !d.at.Before(d.end) {
		d.at = d.now
	}
}

// runs returns the times at which the present run of a function counts. If the function has a schedule, the run counts
// at all scheduled times in the present period. Any other run counts once.
func (d *drill) runs(function string) (times []time.Time) {
	f, _ := d.template.Function(function)
	if f.Schedule == nil {
		return []time.Time{d.at}
	}
	for at := d.now; at.Before(d.end); at = at.Add(f.Schedule.Every) {
		times = append(times, at)
	}
	return times
}

// line receives a line of a function's log. It adds the metrics in the line to the present period.
func (d *drill) line(function, line string) {
	var data []cloudwatch.Datum
	var err error
	if json.Valid([]byte(line)) { // CloudWatch ignores other lines
		data, err = cloudwatch.ReadEMF([]byte(line))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil && d.wrong == nil {
		d.wrong = fmt.Errorf("a line of %s that CloudWatch does not take: %w: %s", function, err, line)
	}
	for _, at := range d.runs(function) {
		for _, x := range data {
			d.data.Add(cloudwatch.Point{Metric: cloudwatch.NewMetric(x.Namespace, x.Name, x.Dimensions), Time: at, Value: x.Value})
		}
	}
	d.lines[function]++
	d.lines[requestOf(line)]++
}

// access receives the access log's line about a request. The template's metric filters turn the line into data points.
func (d *drill) access(request, line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !json.Valid([]byte(line)) && d.wrong == nil {
		d.wrong = fmt.Errorf("a line of the access log that is no JSON: %s", line)
	}
	for _, f := range d.filters {
		d.data.Add(f.Points([]byte(line), d.at)...)
	}
	d.lines[accessed(request)]++
}

// accessed returns the key in drill.lines that counts the access log's lines about a request.
func accessed(request string) string { return "access " + request }

// count adds a value of one of AWS's own metrics, at the time of the latest call.
func (d *drill) count(namespace, name string, dimensions map[string]string, value float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data.Add(cloudwatch.Point{Metric: cloudwatch.NewMetric(namespace, name, dimensions), Time: d.at, Value: value})
}

// invoked counts an invocation in AWS's metrics: once for the function, and once for the version behind the alias.
func (d *drill) invoked(function string, took time.Duration, err error) {
	failed := 0.0
	if err != nil {
		failed = 1
	}
	ofVersion := map[string]string{"FunctionName": function, "Resource": function + ":live", "ExecutedVersion": version}
	for _, dimensions := range []map[string]string{ofVersion, {"FunctionName": function}} {
		d.count("AWS/Lambda", "Invocations", dimensions, 1)
		d.count("AWS/Lambda", "Errors", dimensions, failed)
		d.count("AWS/Lambda", "Duration", dimensions, float64(took.Milliseconds()))
	}
}

func (d *drill) throttled(function string) {
	d.count("AWS/Lambda", "Throttles", map[string]string{"FunctionName": function}, 1)
}

// physical returns the values of the template's references in the drill. parameters replace the template's defaults.
func (d *drill) physical(parameters map[string]string) map[string]string {
	all := stack.PhysicalIDs(engine.LocalStack)
	all["Api"] = apiID
	for _, f := range d.template.Functions {
		all[f.LogicalID], all[f.LogicalID+".Version.Version"] = f.LogicalID, version
	}
	maps.Copy(all, parameters)
	return all
}

// patience limits the wait until an alarm fires or clears.
const patience = 2 * time.Minute

// play plays a scene and prints its line. command is the first command of the alarm's section in the runbook.
func (d *drill) play(ctx context.Context, s scene, command string) (err error) {
	w, err := d.begin(ctx, s.parameters)
	if err != nil {
		return err
	}
	faulty := s.round
	if s.faulty != nil {
		faulty = s.faulty
	}
	if _, err := d.until(ctx, s.round, w, s.alarm, cloudwatch.OK); err != nil {
		return fmt.Errorf("before the fault: %w", err)
	}
	if len(w.fired) > 0 {
		return fmt.Errorf("before the fault, %q fired", w.others(""))
	}
	end := func() error { return nil }
	if s.fault != nil {
		var takeAway func(context.Context, *drill) error
		takeAway, err = s.fault(ctx, d)
		if takeAway != nil {
			end = sync.OnceValue(func() error { return takeAway(context.WithoutCancel(ctx), d) })
			defer func() { err = errors.Join(err, end()) }()
		}
		if err != nil {
			return fmt.Errorf("causing the fault: %w", err)
		}
	}
	fired, err := d.until(ctx, faulty, w, s.alarm, cloudwatch.Alarming)
	if err != nil {
		return err
	}
	if err := d.command(ctx, command, s); err != nil {
		return err
	}
	if err := end(); err != nil {
		return fmt.Errorf("ending the fault: %w", err)
	}
	cleared, err := d.until(ctx, s.round, w, s.alarm, cloudwatch.OK)
	if err != nil {
		return fmt.Errorf("after the fault: %w", err)
	}
	if err := s.expects(w.others(s.alarm)); err != nil {
		return err
	}
	command, _, _ = strings.Cut(command, " #")
	fmt.Fprintf(d.out, "%-21s %s: fired after %d × %v; `%s`; cleared after %d\n", s.alarm, s.what, fired, w.period(s.alarm), strings.TrimSpace(command), cleared)
	return nil
}

// closure closes the API's doors for five minutes and six hours. It returns an error if an alarm fires.
func (d *drill) closure(ctx context.Context) error {
	w, err := d.begin(ctx, nil)
	if err != nil {
		return err
	}
	d.stack.Doors("closed")
	defer d.stack.Doors("open")
	for _, length := range []time.Duration{time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, before} {
		from := d.now
		if err := d.period(ctx, calls(40, "GET", "/animals"), length); err != nil {
			return err
		}
		if err := w.evaluate(d.data, from, d.now); err != nil {
			return err
		}
	}
	if fired := w.others(""); len(fired) > 0 {
		return fmt.Errorf("%q fired", fired)
	}
	fmt.Fprintln(d.out, "closed doors: no alarm fired in six hours")
	return nil
}

// until plays periods with the given calls until an alarm has the wanted state. It returns the number of periods.
func (d *drill) until(ctx context.Context, round action, w *watch, alarm string, want cloudwatch.State) (periods int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		from := d.now
		if err := d.period(ctx, round, w.period(alarm)); err != nil {
			return periods, err
		}
		periods++
		if err := w.evaluate(d.data, from, d.now); err != nil || w.states[alarm] == want {
			return periods, err
		}
	}
	return periods, fmt.Errorf("after %d periods it is %s, want %s", periods, w.states[alarm], want)
}

// period plays one period of the given length: the functions that run each minute, except d.off, and the calls of
// round. It adds the table's counts to the metrics, and moves the clock to the period's end.
func (d *drill) period(ctx context.Context, round action, length time.Duration) error {
	d.mu.Lock()
	d.at, d.end = d.now, d.now.Add(length)
	d.mu.Unlock()
	before := d.backend.counted()
	for _, function := range []string{"JudgeDue", "FinishPending", "PlaySynthetic"} {
		if function == d.off {
			continue
		}
		if err := scheduled(function)(ctx, d); err != nil {
			return err
		}
	}
	if err := round(ctx, d); err != nil {
		return err
	}
	for name, value := range d.backend.counted() {
		if more := value - before[name]; more > 0 { // AWS leaves out a 0
			d.count("AWS/DynamoDB", name, map[string]string{"TableName": stack.TableName}, more)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.end
	return d.wrong
}

// shell prepares a program as an operator runs it: in the working tree's root, with the stack's outputs as variables.
func (d *drill) shell(ctx context.Context, endpoint, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = d.template.Root
	cmd.Env = append(cloud.Environ(endpoint), "TABLE_NAME="+stack.TableName, "SIGNING_KEYS_SECRET="+stack.SecretName)
	return cmd
}

// operate runs ranchctl, the operators' tool, without any fault of the table, and decodes its JSON output into the
// value at into. nil ignores the output.
func (d *drill) operate(ctx context.Context, into any, args ...string) error {
	endpoint := d.backend.engine.Endpoint()
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

// command runs a command of the runbook. Its exit code and output must be those that the scene expects.
func (d *drill) command(ctx context.Context, command string, s scene) error {
	cmd := d.shell(ctx, d.backend.moto.URL, "bash", "-c", command)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != s.exit || !strings.Contains(printed.String(), s.prints) {
		return fmt.Errorf("the runbook's %s: %w, want the exit code %d and %q in:\n%s", command, err, s.exit, s.prints, &printed)
	}
	return nil
}
