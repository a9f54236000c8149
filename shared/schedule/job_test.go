package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

const now game.Instant = 1_795_167_000_007

// run runs a job as Lambda does, and returns its log line without the time and the duration.
func run(t *testing.T, j Job) (map[string]any, error) {
	t.Helper()
	var log bytes.Buffer
	j.Logger, j.Clock = slog.New(slog.NewJSONHandler(&log, nil)), now.Time
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	err := j.Run(lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "invocation-1"}))
	line := map[string]any{}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, &log)
	}
	for _, name := range []string{"time", "duration_ms"} {
		assert.NotNil(t, line[name], "%s is not in %s", name, &log)
		delete(line, name)
	}
	return line, err
}

func TestJob(t *testing.T) { synctest.Test(t, testJob) }

func testJob(t *testing.T) {
	j := New("test", func(ctx context.Context, at game.Instant) (Report, error) {
		deadline, ok := ctx.Deadline()
		assert.True(t, at == now && ok && time.Until(deadline) == 59*time.Minute+59500*time.Millisecond, "at %v, until %v", at, deadline)
		tally.Add(ctx, tally.Attempts, 3)
		return Report{Line: []slog.Attr{slog.Int("done", 7)}, Always: []tally.Figure{tally.Attempts, tally.LedgerDrift}}, nil
	})
	plain := map[string]any{
		"level": "INFO", "msg": "run", "function": "test", "lambda_request_id": "invocation-1", "done": 7.0, "Attempts": 3.0, "LedgerDrift": 0.0,
	}
	line, err := run(t, j)
	diff := cmp.Diff(plain, line)
	assert.True(t, diff == "" && err == nil, "%v (-want +got):\n%s", err, diff)
	j.Metrics = emf.Source{Namespace: "ranch", Function: "ranch-Test", Version: "7"}
	line, _ = run(t, j)
	aws, _ := json.Marshal(line["_aws"])
	const want = `{"CloudWatchMetrics":[{"Dimensions":[[]],"Metrics":[{"Name":"Attempts","Unit":"Count"},{"Name":"LedgerDrift","Unit":"Count"}],` +
		`"Namespace":"ranch"}],"Timestamp":1795167000007}`
	assert.True(t, string(aws) == want && line["version"] == "7", "got %s, want %s", aws, want)
}

// If a part of the work fails, the line has the finished part and the error, and Run returns the error. Lambda's runtime
// logs the returned error once more, so it has the bounds of the line's error.
func TestAJobThatFails(t *testing.T) {
	gone := errors.New("table gone")
	_, long := run(t, New("test", func(context.Context, game.Instant) (Report, error) {
		return Report{}, errors.Join(slices.Repeat([]error{gone}, 50_000)...)
	}))
	assert.True(t, errors.Is(long, gone) && len(long.Error()) < 256_000, "the error has %d bytes", len(long.Error()))
	line, err := run(t, New("test", func(context.Context, game.Instant) (Report, error) {
		return Report{Line: []slog.Attr{slog.Int("done", 7)}}, gone
	}))
	assert.True(t, errors.Is(err, gone) && line["level"] == "ERROR" && line["error"] == "table gone" && line["done"] == 7.0 && line["Faults"] == 1.0,
		"%v, %v", line, err)
}

func TestAJobThatPanics(t *testing.T) {
	line, err := run(t, New("test", func(context.Context, game.Instant) (Report, error) { panic("boom") }))
	assert.True(t, err != nil && strings.HasPrefix(err.Error(), "panic: boom\n") && line["level"] == "ERROR" && line["Faults"] == 1.0,
		"%v, %v", line, err)
}
