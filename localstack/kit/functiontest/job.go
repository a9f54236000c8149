package functiontest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/schedule"
)

// JobBench is one job in a scene of the test's own, whose time is what the job's clock says.
type JobBench struct {
	*storetest.Scene
	Job  schedule.Job
	Time time.Duration // how long a run may take; at first what template.yaml gives it
}

// NewJob makes a bench of the scheduled function whose folder the test stands in, with its role from template.yaml. The
// job gets the scene's store, which may do what the role allows, as the interface that it asks for.
func NewJob[Store any](t testing.TB, job func(Store) schedule.Job) *JobBench {
	t.Helper()
	scene, function := newScene(t)
	return &JobBench{Scene: scene, Job: job(any(scene.Store).(Store)), Time: function.Timeout}
}

// Run is what a run came to.
type Run struct {
	Line    map[string]any     // of the log, without what makes metrics of it
	Metrics map[string]float64 // of the whole stack
	Err     error
}

// Run runs the job once, as Lambda does for an event of the schedule. It checks that the log has one line, that
// CloudWatch reads it, and that no address is in it.
func (b *JobBench) Run(t testing.TB) Run {
	t.Helper()
	var log bytes.Buffer
	j := b.Job
	j.Clock, j.Logger = b.Now.Time, slog.New(slog.NewJSONHandler(&log, nil))
	j.Metrics = emf.Source{Namespace: "ranch-test", Function: "ranch-test-Job", Version: "7"}
	_, err := invoke(t, j.Run, b.Time, "{}")
	run := Run{Line: map[string]any{}, Metrics: map[string]float64{}, Err: err}
	if text := log.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, "@example.com") {
		t.Errorf("want one line in the log, without an address, got %q", text)
	}
	if err := json.Unmarshal(log.Bytes(), &run.Line); err != nil {
		t.Error(err)
	}
	data, err := cloudwatch.ReadEMF(bytes.TrimSpace(log.Bytes()))
	if err != nil {
		t.Error(err)
	}
	for _, d := range data {
		if len(d.Dimensions) == 0 {
			run.Metrics[d.Name] = d.Value
		}
	}
	if ms, ok := run.Line["duration_ms"].(float64); !ok || ms < 0 || (run.Line["level"] == "ERROR") != (run.Err != nil) {
		t.Errorf("%v: %v", run.Err, run.Line)
	}
	for _, name := range []string{"_aws", "FunctionName", "FunctionVersion", "time", "duration_ms"} {
		delete(run.Line, name)
	}
	return run
}
