package functiontest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/schedule"
)

// JobBench runs one scheduled job in a scene: a table with shows and players, and a time, which the job's clock shows.
type JobBench struct {
	*storetest.Scene
	Job  schedule.Job
	Time time.Duration // the time limit of a run; NewJob sets the one in template.yaml
}

// NewJob returns a bench for the scheduled function whose folder the test is in. It calls job with the scene's store,
// as the interface that the job needs. The store has only the rights of the function's role in template.yaml.
func NewJob[Store any](t testing.TB, job func(Store) schedule.Job) *JobBench {
	t.Helper()
	scene, function := newScene(t)
	return &JobBench{Scene: scene, Job: job(any(scene.Desk).(Store)), Time: function.Timeout}
}

// After returns a bench on the same table, d after the scene's time.
func (b *JobBench) After(d time.Duration) *JobBench {
	other := *b
	other.Scene = b.AtTime(b.Now.Add(d))
	return &other
}

// Run is the outcome of one run of a job.
type Run struct {
	Line    map[string]any     // of the log, without its times, the metrics' metadata and their dimensions
	Metrics map[string]float64 // those without dimensions
	Err     error
}

// Run runs the job once, as Lambda does for an event of the schedule. It checks that the log has exactly one line,
// which CloudWatch can read: with a duration, without an e-mail address, and with the level ERROR only after an error.
func (b *JobBench) Run(t testing.TB) Run {
	t.Helper()
	var log bytes.Buffer
	j := b.Job
	j.Clock, j.Logger = b.Now.Time, slog.New(slog.NewJSONHandler(&log, nil))
	j.Metrics = emf.Source{Namespace: "ranch-test", Function: "ranch-test-Job", Version: "7"}
	_, err := invoke(t, j.Run, b.Time, "{}")
	run := Run{Metrics: readLog(t, log.String()), Err: err}
	assert.False(t, strings.Contains(log.String(), "@example.com"), "the log has an address: %s", &log)
	assert.NoError(t, json.Unmarshal(log.Bytes(), &run.Line))
	ms, ok := run.Line["duration_ms"].(float64)
	assert.True(t, ok && ms >= 0 && (run.Line["level"] == "ERROR") == (run.Err != nil), "%v: %v", run.Err, run.Line)
	for _, name := range []string{"_aws", "FunctionName", "FunctionVersion", "time", "duration_ms"} {
		delete(run.Line, name)
	}
	return run
}
