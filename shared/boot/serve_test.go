package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/httpapi"
)

// The test runs a function in a new process, with a server that stands in for Lambda. The function gets one event. It
// returns one answer, writes one line of JSON, and adjusts Go's runtime.
func TestServe(t *testing.T) {
	if os.Getenv("BOOT_TEST_SERVE") != "" {
		Serve(httpapi.Public("echo", func(_ context.Context, r *httpapi.Request) (httpapi.Response, error) {
			return httpapi.OK(r.PathID + " " + runtimeSettings()), nil
		}, httpapi.Fault("")))
	}
	answers := make(chan events.APIGatewayV2HTTPResponse, 1)
	address := newRuntime(t, `{"version":"2.0","routeKey":"GET /{id}","pathParameters":{"id":"x"}}`, answers)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case answer := <-answers:
			assert.True(t, answer.StatusCode == 200 && answer.Body == `"x 1 400 201326550"` && answer.Headers["Content-Type"] == "application/json",
				"answered %+v", answer)
		case <-ctx.Done():
			t.Error("no answer")
		}
	}()
	stdout, _, _ := variables{ // the error is the signal that ended the process
		"BOOT_TEST_SERVE": "1", "AWS_LAMBDA_RUNTIME_API": address, "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256", "METRICS_NAMESPACE": "ranch",
		"AWS_LAMBDA_FUNCTION_NAME": "ranch-Echo", "AWS_LAMBDA_FUNCTION_VERSION": "7",
	}.process(ctx, t)
	var line map[string]any
	err := json.Unmarshal([]byte(stdout), &line)
	require.NoError(t, err, "logged %s, %v", stdout, err)
	for name, want := range map[string]string{
		"function": "echo", "route": "GET /{id}", "version": "7", "FunctionName": "ranch-Echo", "FunctionVersion": "7", "lambda_request_id": "1", "trace_id": "1-67891233-abcdef012345678912345678",
	} {
		expect(t, name, line[name], any(want))
	}
	const metrics = `"CloudWatchMetrics":[{"Namespace":"ranch","Dimensions":[["FunctionName","FunctionVersion"]],"Metrics":[{"Name":"ColdStarts","Unit":"Count"}]}]`
	assert.Contains(t, stdout, metrics, "logged %s", stdout)
}

// newRuntime starts a server with Lambda's runtime API and one event, and returns its address.
func newRuntime(t *testing.T, event string, answers chan<- events.APIGatewayV2HTTPResponse) string {
	mux := http.NewServeMux()
	pending := make(chan string, 1)
	pending <- event
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case next := <-pending:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", "4102444800000")
			w.Header().Set("Lambda-Runtime-Trace-Id", "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=0")
			_, _ = io.WriteString(w, next)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/response", func(w http.ResponseWriter, r *http.Request) {
		var answer events.APIGatewayV2HTTPResponse
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&answer))
		w.WriteHeader(http.StatusAccepted)
		answers <- answer
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// runtimeSettings returns the settings of Go's runtime: processors, percentage of garbage, and memory limit in bytes.
func runtimeSettings() string {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return fmt.Sprint(runtime.GOMAXPROCS(0), " ", percent, " ", debug.SetMemoryLimit(-1))
}

func TestFitRuntime(t *testing.T) {
	processors, percent, limit := runtime.GOMAXPROCS(4), debug.SetGCPercent(100), debug.SetMemoryLimit(1<<40)
	defer func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for _, c := range []struct{ memory, want string }{
		{"", "4 100 1099511627776"}, // not on Lambda
		{"much", "4 100 1099511627776"},
		{"0", "4 100 1099511627776"},
		{"-1", "4 100 1099511627776"},
		{"256", "1 400 201326550"},
		{"1769", "1 400 1391198175"},
		{"1770", "2 400 1391984625"},
		{"2048", "2 400 1610612700"},
		{"10240", "4 400 8053063650"}, // no more than the machine's four
	} {
		runtime.GOMAXPROCS(4)
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(1 << 40)
		variables{"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": c.memory}.environment().fitRuntime()
		assert.Equal(t, c.want, runtimeSettings(), "with %q MB", c.memory)
	}
}
