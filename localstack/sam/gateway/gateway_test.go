package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

func TestNew(t *testing.T) {
	at := functionAt
	for _, test := range []struct {
		functions []FunctionConfig
		want      string
	}{
		{[]FunctionConfig{at("A", "GET", "a")}, "function A: the path"},
		{[]FunctionConfig{at("A", "GET", "/{all+}")}, "function A: routes of any"},
		{[]FunctionConfig{at("A", "ANY", "/a")}, "function A: routes of any"},
		{[]FunctionConfig{at("A", "GET", "/a/{b}/c"), at("B", "GET", "/a/{x}/c")}, "functions A and B"},
		{[]FunctionConfig{at("A", "GET", "/a/{b}"), at("B", "POST", "/a/{b}"), at("C", "GET", "/a/b"), at("D", "GET", "/a")}, ""},
	} {
		if _, err := New(Config{Functions: test.functions}); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestRoutes(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{
		functionAt("List", "GET", "/cats"), functionAt("Get", "GET", "/cats/{id}"), functionAt("Oldest", "GET", "/cats/oldest"),
		functionAt("Feed", "POST", "/cats/{id}/feed"), functionAt("First", "POST", "/cats/first/{action}"),
	}})
	for _, test := range []struct {
		method, path, key string
		parameters        map[string]string
	}{
		{"GET", "/cats", "GET /cats", nil},
		{"GET", "/cats/1", "GET /cats/{id}", map[string]string{"id": "1"}},
		{"GET", "/cats/oldest", "GET /cats/oldest", nil},
		{"GET", "/cats/a%20b%2Bc", "GET /cats/{id}", map[string]string{"id": "a b+c"}},
		{"GET", "/cats/..", "GET /cats/{id}", map[string]string{"id": ".."}},
		{"GET", "/cats/%0A", "GET /cats/{id}", map[string]string{"id": "\n"}},
		{"POST", "/cats/1/feed", "POST /cats/{id}/feed", map[string]string{"id": "1"}},
		{"POST", "/cats/first/feed", "POST /cats/first/{action}", map[string]string{"action": "feed"}},
		{"HEAD", "/cats", "", nil},
		{"POST", "/cats", "", nil},
		{"OPTIONS", "/cats", "", nil},
		{"GET", "/cats/", "", nil},
		{"GET", "//cats", "", nil},
		{"GET", "/Cats", "", nil},
		{"GET", "/cats%0A", "", nil},
		{"GET", "/cats/1/", "", nil},
		{"GET", "/cats/../cats", "", nil},
		{"POST", "/cats//feed", "", nil},
		{"GET", "/", "", nil},
	} {
		a := s.send(test.method, test.path, "")
		if test.key == "" {
			if a.status != 404 || a.body != notFound && test.method != "HEAD" {
				t.Errorf("%s %s: %d %s", test.method, test.path, a.status, a.body)
			}
		} else if event := a.event(t); event.RouteKey != test.key || !maps.Equal(event.PathParameters, test.parameters) {
			t.Errorf("%s %s: route %s with %v, want %s with %v", test.method, test.path, event.RouteKey, event.PathParameters, test.key, test.parameters)
		}
	}
}

func TestRequestTooLarge(t *testing.T) {
	s := serveOne(t)
	body := bytes.Repeat([]byte("x"), maxBody+1)
	for name, r := range map[string]io.Reader{"with its length": bytes.NewReader(body), "in chunks": io.MultiReader(bytes.NewReader(body))} {
		recorder := httptest.NewRecorder()
		if s.ServeHTTP(recorder, httptest.NewRequest("POST", "/do", r)); recorder.Code != 413 || recorder.Body.String() != `{"message":"Request Entity Too Large"}` {
			t.Errorf("%s: %d %.100s", name, recorder.Code, recorder.Body)
		}
	}
	s.do("instance", string(body[:maxBody])).instance(t)
}

func TestLogsLineByLine(t *testing.T) {
	s := serveOne(t)
	s.do("print", "one\r\ntwo").want(t, 200, `"printed"`)
	processtest.Eventually(t, "all lines are logged", func() bool { return s.logs.count("") == 3 })
	if got := s.logs.all(); got != "Do: one\nDo: two\nDo: to stderr" {
		t.Errorf("log\n%q", got)
	}
}

// The gateway itself answers requests above a route's limit, with CORS headers. Requests to other routes and preflight
// requests pass.
func TestThrottledRoute(t *testing.T) {
	do := functionAt("Do", "POST", "/do")
	do.Throttle = Throttle{Rate: 1e-9, Burst: 2}
	s := serve(t, Config{
		Functions: []FunctionConfig{do, functionAt("Other", "POST", "/other")},
		CORS:      &CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"POST"}},
	})
	if first, second := s.ask(), s.ask(); first.RequestID == second.RequestID {
		t.Error("the function was not asked again")
	}
	for range 3 {
		a := s.send("POST", "/do", "", "Origin: https://game.example", "X-Do: instance")
		a.want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
		if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Apigw-Requestid") == "" {
			t.Errorf("headers %v", a.header)
		}
	}
	s.send("POST", "/other", "", "X-Do: instance").instance(t)
	s.send("GET", "/do", "").want(t, 404, notFound)
	if a := s.send("OPTIONS", "/do", "", "Origin: https://game.example", "Access-Control-Request-Method: POST"); a.status != http.StatusNoContent {
		t.Errorf("preflight: %d %s", a.status, a.body)
	}
}

// The access log has a line for each request, even if no function ran. The line has the route, the status and the id
// that the client got. Limit sets the limits of a running gateway, and removes them.
func TestAccessLog(t *testing.T) {
	do, lines := functionAt("Do", "POST", "/do/{id}"), &logs{}
	s := serve(t, Config{
		Functions: []FunctionConfig{do}, Access: lines.add,
		AccessLog: "$context.requestId $context.identity.sourceIp $context.routeKey $context.status $context.responseLength $context.error.message",
	})
	ask := func(path string, status int, line string) {
		t.Helper()
		a := s.send("POST", path, "", "X-Do: instance")
		if a.status != status {
			t.Errorf("%s: %d %s, want %d", path, a.status, a.body, status)
		}
		id := a.header.Get("Apigw-Requestid")
		line = fmt.Sprintf("%s: %s 127.0.0.1 %s %d %d -", id, id, line, status, len(a.body))
		processtest.Eventually(t, line, func() bool { return lines.count(line) == 1 })
	}
	limit := func(function string, limit Throttle) {
		t.Helper()
		if err := s.Limit(function, limit); (err == nil) != (function == "Do") {
			t.Errorf("%s: %v", function, err)
		}
	}
	ask("/do/1", 200, "POST /do/{id}")
	ask("/none", 404, "-")
	limit("Do", Throttle{Rate: 1e-9, Burst: 1})
	ask("/do/2", 200, "POST /do/{id}")
	ask("/do/3", 429, "POST /do/{id}")
	limit("Do", Throttle{})
	ask("/do/4", 200, "POST /do/{id}")
	ask("/do/5", 200, "POST /do/{id}")
	limit("None", Throttle{})
}

// A reserved concurrency refuses the requests above it, and the gateway reports each. Other functions still answer.
func TestReserve(t *testing.T) {
	throttled := &logs{}
	barrier := newBarrier(t)
	s := serve(t, Config{
		Functions: []FunctionConfig{functionAt("Do", "POST", "/do"), functionAt("Other", "POST", "/other")},
		Throttled: func(function string) { throttled.add(function, "") },
	})
	reserve := func(concurrency, status int) {
		t.Helper()
		if err := s.Reserve("Do", concurrency); err != nil {
			t.Fatal(err)
		}
		if a := s.do("instance", ""); a.status != status || status == 503 && a.body != unavailable {
			t.Errorf("with %d: %d %s, want %d", concurrency, a.status, a.body, status)
		}
	}
	reserve(0, 503)
	reserve(1, 200)
	first := s.doing("wait", barrier.url)
	barrier.wait(t, 1)
	reserve(1, 503)
	reserve(2, 200)
	reserve(Unreserved, 200)
	s.send("POST", "/other", "", "X-Do: instance").instance(t)
	barrier.release()
	(<-first).instance(t)
	reserve(1, 200)
	throttled.want(t, 2, "Do")
	if err := s.Reserve("None", 1); err == nil {
		t.Error("there is a function None")
	}
}

// With Invoke, functions run elsewhere. Invoke gets the event, and the client gets its answer within the gateway's time
// limit.
func TestInvokeElsewhere(t *testing.T) {
	invoke := func(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
		var request events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(event, &request); err != nil {
			return nil, err
		}
		switch request.Body {
		case "fail":
			return nil, errors.New("the function has failed")
		case "hang":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: 201, Body: logicalID + " " + request.RouteKey + " " + request.Body})
	}
	elsewhere := func(cfg *Config, f *FunctionConfig) { cfg.Invoke, f.Binary = invoke, "" }
	s := serveOne(t, elsewhere)
	s.do("", "a body").want(t, 201, "Do POST /do a body")
	s.do("", "fail").want(t, 500, internalError)
	serveOne(t, elsewhere, func(cfg *Config, _ *FunctionConfig) { cfg.IntegrationTimeout = 10 * time.Millisecond }).do("", "hang").want(t, 503, unavailable)
	if output, err := s.Invoke(t.Context(), "Do", []byte(`{"body":"good"}`)); err != nil || !bytes.Contains(output, []byte("good")) {
		t.Errorf("%s, %v", output, err)
	}
}

// A function without a route can be invoked by its name, but not over HTTP.
func TestInvoke(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.LogicalID, f.Method, f.Path = "Daily", "", "" })
	s.do("", "").want(t, 404, notFound)
	s.send("GET", "/", "").want(t, 404, notFound)
	if output, err := s.Invoke(t.Context(), "Daily", []byte(`{"body":"good"}`)); err != nil || !bytes.Contains(output, []byte("good")) {
		t.Errorf("%q, %v", output, err)
	}
	if _, err := s.Invoke(t.Context(), "None", []byte("{}")); err == nil {
		t.Error("there is a function None")
	}
}
