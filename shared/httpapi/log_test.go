package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

func TestLog(t *testing.T) {
	const user = string(callerID)
	for name, test := range map[string]struct {
		endpoint Endpoint
		want     map[string]any
	}{
		"answer": {
			Protected("test", returns(OK(1), nil), onlyToken("good")),
			map[string]any{"level": "INFO", "status": 200.0, "user": user},
		},
		"open endpoint": {
			Public("test", returns(OK(1), nil), Fault("")),
			map[string]any{"level": "INFO", "status": 200.0},
		},
		"refused credentials": {
			Protected("test", returns(OK(1), nil), onlyToken("another")),
			map[string]any{"level": "INFO", "status": 401.0, "error": "UNAUTHORIZED: token: invalid"},
		},
		"refusal": {
			Protected("test", returns(Response{}, game.ErrCalf), onlyToken("good")),
			map[string]any{"level": "INFO", "status": 400.0, "user": user, "error": "INVALID: Calves cannot enter shows"},
		},
		"fault": {
			Protected("test", returns(Response{}, errors.New("table gone")), onlyToken("good")),
			map[string]any{"level": "ERROR", "status": 500.0, "user": user, "error": "table gone"},
		},
		"fault behind a success": {
			Public("test", returns(Response{}, errors.New("table gone")), OK(1)),
			map[string]any{"level": "ERROR", "status": 200.0, "error": "table gone"},
		},
		"answer that is a 500": {
			Public("test", returns(Fault(""), nil), Fault("")),
			map[string]any{"level": "ERROR", "status": 500.0},
		},
		"what it took": {
			Protected("test", func(ctx context.Context, _ *Request) (Response, error) {
				tally.Add(ctx, tally.Attempts, 1)
				tally.Add(ctx, tally.Attempts, 1)
				tally.Add(ctx, tally.Conflicts, 1)
				return OK(1), nil
			}, onlyToken("good")),
			map[string]any{"level": "INFO", "status": 200.0, "user": user, "Attempts": 2.0, "Conflicts": 1.0},
		},
	} {
		line := logged(t, test.endpoint)
		if ms, ok := line["duration_ms"].(float64); !ok || ms < 0 || ms > 60_000 {
			t.Errorf("%s: duration_ms is %v", name, line["duration_ms"])
		}
		delete(line, "duration_ms")
		delete(line, "time")
		test.want["msg"], test.want["function"], test.want["route"], test.want["request_id"] = "request", "test", "POST /x", "request-1"
		if diff := cmp.Diff(test.want, line); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestLogOfAPanicHasTheStack(t *testing.T) {
	line := logged(t, Public("test", func(context.Context, *Request) (Response, error) { panic("boom") }, Fault("")))
	text := fmt.Sprint(line["error"])
	if line["level"] != "ERROR" || !strings.HasPrefix(text, "panic: boom\n") || !strings.Contains(text, "log_test.go") {
		t.Errorf("got %v", line)
	}
}

func TestLogOfATooLargeAnswerHasTheCause(t *testing.T) {
	line := logged(t, Public("test", returns(OK(strings.Repeat("x", maxPayloadBytes)), nil), Fault("")))
	if text := fmt.Sprint(line["error"]); line["level"] != "ERROR" || !strings.Contains(text, "larger than the 6291556") {
		t.Errorf("got %v", line)
	}
}

// logged invokes the endpoint with a request full of secrets and returns the one line that it logs, which has none of
// them.
func logged(t *testing.T, e Endpoint) map[string]any {
	t.Helper()
	var b bytes.Buffer
	e.Logger = slog.New(slog.NewJSONHandler(&b, nil))
	ev := event(`{"email":"ann@example.com","password":"s3cret-body"}`)
	ev.Headers = map[string]string{"authorization": "Bearer good", "x-forwarded-for": "203.0.113.7"}
	ev.RawQueryString, ev.RequestContext.RequestID = "q=s3cret-query", "request-1"
	invoke(t, e, ev)
	for _, secret := range []string{"good", "ann@example.com", "s3cret", "203.0.113.7"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("the log has %q: %s", secret, b.String())
		}
	}
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %v: %s", err, b.String())
	}
	return line
}
