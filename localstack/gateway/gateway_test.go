package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// binary is the function of testdata, built once.
var binary string

func TestMain(m *testing.M) {
	if parentOf := os.Getenv(parentVariable); parentOf != "" {
		os.Exit(runParent(parentOf))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gateway")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", binary, "./testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the function cannot be built: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// parentVariable has this test binary be another gateway's process, with the function that the variable names.
const parentVariable = "GATEWAY_TEST_PARENT_OF"

// runParent starts the function, says which process that is, and waits to be killed.
func runParent(binary string) int {
	g, err := New(Config{Functions: []FunctionConfig{{LogicalID: "Do", Method: "POST", Path: "/do", Binary: binary}}})
	if err == nil {
		err = g.Start(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	request, recorder := httptest.NewRequest("POST", "/do", nil), httptest.NewRecorder()
	request.Header.Set("X-Do", "instance")
	g.ServeHTTP(recorder, request)
	fmt.Println(recorder.Body)
	io.Copy(io.Discard, os.Stdin)
	return 1
}

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// logs collects the gateway's log.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) add(logicalID, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, logicalID+": "+line)
}

func (l *logs) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range l.lines {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

func (l *logs) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// service is a gateway behind a real server.
type service struct {
	*Gateway
	t    *testing.T
	url  string
	logs *logs
}

// functionAt gives a function of the test binary.
func functionAt(logicalID, method, path string) FunctionConfig {
	return FunctionConfig{LogicalID: logicalID, Method: method, Path: path, Binary: binary, Timeout: patience}
}

func serve(t *testing.T, cfg Config) service {
	t.Helper()
	logs := &logs{}
	cfg.Log = logs.add
	g, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = g.Server()
	server.Start()
	t.Cleanup(func() {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return service{Gateway: g, t: t, url: server.URL, logs: logs}
}

// serveOne serves one function at POST /do, changed by the given steps.
func serveOne(t *testing.T, changes ...func(*Config, *FunctionConfig)) service {
	t.Helper()
	cfg, f := Config{}, functionAt("Do", "POST", "/do")
	for _, change := range changes {
		change(&cfg, &f)
	}
	cfg.Functions = []FunctionConfig{f}
	return serve(t, cfg)
}

type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

// do has the function at POST /do carry out a command of testdata/function.
func (s service) do(command, body string) answer {
	return s.send("POST", "/do", body, "X-Do: "+command, "Content-Type: text/plain")
}

// send sends a request with headers as in "Name: value".
func (s service) send(method, target, body string, headers ...string) answer {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+target, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Add(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text), err}
}

// want checks the status and the body.
func (a answer) want(t *testing.T, status int, body string) {
	t.Helper()
	if a.err != nil || a.status != status || a.body != body {
		t.Errorf("%d %.300s %v, want %d %.300s", a.status, a.body, a.err, status, body)
	}
}

const (
	internalError = `{"message":"Internal Server Error"}`
	unavailable   = `{"message":"Service Unavailable"}`
	notFound      = `{"message":"Not Found"}`
)

// instance is testdata/function's account of itself.
type instance struct {
	PID                   int
	Environment           []string
	RequestID, ARN, Trace string
	RemainingMS           int64
}

func (a answer) instance(t *testing.T) instance {
	t.Helper()
	var i instance
	if err := json.Unmarshal([]byte(a.body), &i); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %q %v: %v", a.status, a.body, a.err, err)
	}
	return i
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// barrier holds functions that carry out "wait" with its URL.
type barrier struct {
	url     string
	arrived chan struct{}
	release func()
}

func newBarrier(t *testing.T) barrier {
	t.Helper()
	arrived, gate := make(chan struct{}, 100), make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-gate
	}))
	t.Cleanup(func() {
		release()
		server.Close()
	})
	return barrier{server.URL, arrived, release}
}

// wait waits until so many functions are at the barrier.
func (b barrier) wait(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-b.arrived:
		case <-time.After(patience):
			t.Fatalf("no %d functions at the barrier within %v", n, patience)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		name      string
		functions []FunctionConfig
		want      string
	}{
		{"a relative path", []FunctionConfig{functionAt("A", "GET", "a")}, "function A: the path"},
		{"a greedy path", []FunctionConfig{functionAt("A", "GET", "/{all+}")}, "function A: routes of any"},
		{"any method", []FunctionConfig{functionAt("A", "ANY", "/a")}, "function A: routes of any"},
		{"one route twice", []FunctionConfig{functionAt("A", "GET", "/a/{b}/c"), functionAt("B", "GET", "/a/{x}/c")}, "functions A and B"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := New(Config{Functions: test.functions}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	distinct := []FunctionConfig{functionAt("A", "GET", "/a/{b}"), functionAt("B", "POST", "/a/{b}"), functionAt("C", "GET", "/a/b"), functionAt("D", "GET", "/a")}
	if _, err := New(Config{Functions: distinct}); err != nil {
		t.Error(err)
	}
}

func TestOnlyBetweenStartAndClose(t *testing.T) {
	g, err := New(Config{Functions: []FunctionConfig{functionAt("Do", "POST", "/do")}})
	if err != nil {
		t.Fatal(err)
	}
	get := func() answer {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/do", strings.NewReader("{}"))
		g.ServeHTTP(recorder, request)
		return answer{status: recorder.Code, body: recorder.Body.String()}
	}
	get().want(t, 503, unavailable)
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := get(); a.status != 200 {
		t.Errorf("%d %s while it runs", a.status, a.body)
	}
	if err := g.Start(t.Context()); err == nil {
		t.Error("it starts twice")
	}
	for range 2 {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	get().want(t, 503, unavailable)
}

func TestRoutes(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{
		functionAt("List", "GET", "/shows"), functionAt("Get", "GET", "/shows/{id}"), functionAt("Season", "GET", "/shows/season"),
		functionAt("Enter", "POST", "/shows/{id}/enter"), functionAt("Judge", "POST", "/shows/first/{action}"),
	}})
	for _, test := range []struct{ method, path, key, parameters string }{
		{"GET", "/shows", "GET /shows", "null"},
		{"GET", "/shows/1", "GET /shows/{id}", `{"id":"1"}`},
		{"GET", "/shows/season", "GET /shows/season", "null"},
		{"GET", "/shows/a%20b%2Bc", "GET /shows/{id}", `{"id":"a b+c"}`},
		{"GET", "/shows/..", "GET /shows/{id}", `{"id":".."}`},
		{"POST", "/shows/1/enter", "POST /shows/{id}/enter", `{"id":"1"}`},
		{"POST", "/shows/first/enter", "POST /shows/first/{action}", `{"action":"enter"}`},
		{"HEAD", "/shows", "", ""},
		{"POST", "/shows", "", ""},
		{"OPTIONS", "/shows", "", ""},
		{"GET", "/shows/", "", ""},
		{"GET", "//shows", "", ""},
		{"GET", "/Shows", "", ""},
		{"GET", "/shows/1/", "", ""},
		{"GET", "/shows/../shows", "", ""},
		{"POST", "/shows//enter", "", ""},
		{"GET", "/", "", ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			a := s.send(test.method, test.path, "")
			if test.key == "" {
				body := notFound
				if test.method == "HEAD" {
					body = ""
				}
				a.want(t, 404, body)
				return
			}
			var event struct {
				RouteKey       string
				PathParameters json.RawMessage
			}
			event.PathParameters = json.RawMessage("null")
			if err := json.Unmarshal([]byte(a.body), &event); err != nil {
				t.Fatalf("%d %s: %v", a.status, a.body, err)
			}
			if event.RouteKey != test.key || string(event.PathParameters) != test.parameters {
				t.Errorf("route %s with %s, want %s with %s", event.RouteKey, event.PathParameters, test.key, test.parameters)
			}
		})
	}
}

func TestRequestTooLarge(t *testing.T) {
	s := serveOne(t)
	const tooLarge = `{"message":"Request Entity Too Large"}`
	body := bytes.Repeat([]byte("x"), maxBody+1)
	for name, r := range map[string]io.Reader{"with its length": bytes.NewReader(body), "in chunks": io.MultiReader(bytes.NewReader(body))} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/do", r)
		s.ServeHTTP(recorder, request)
		if recorder.Code != 413 || recorder.Body.String() != tooLarge {
			t.Errorf("%s: %d %.100s", name, recorder.Code, recorder.Body)
		}
	}
	s.do("instance", string(body[:maxBody])).instance(t)
	s.send("POST", "/nowhere", "").want(t, 404, notFound)
}

func TestServerTimeoutsFitTheIntegration(t *testing.T) {
	g, err := New(Config{IntegrationTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	server := g.Server()
	for name, timeout := range map[string]time.Duration{"write": server.WriteTimeout, "read": server.ReadTimeout} {
		if timeout <= time.Hour {
			t.Errorf("%s timeout %v: an answer may take an hour", name, timeout)
		}
	}
	if server.ReadHeaderTimeout <= 0 || server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 {
		t.Errorf("no limits: %+v", server)
	}
}

func TestLogsLineByLine(t *testing.T) {
	s := serveOne(t)
	s.do("print", "one\r\ntwo").want(t, 200, `"printed"`)
	eventually(t, "all lines are logged", func() bool { return s.logs.count("") == 3 })
	want := "Do: one\nDo: two\nDo: to stderr"
	if got := s.logs.all(); got != want {
		t.Errorf("log\n%q\nwant\n%q", got, want)
	}
}

func TestLineWriter(t *testing.T) {
	var got []string
	w := &lineWriter{emit: func(line string) { got = append(got, line) }}
	long := strings.Repeat("l", maxLine)
	for _, text := range []string{"a", "b\nc\n", "\n", long + "rest", "\nend"} {
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	w.flush()
	if want := []string{"ab", "c", "", long, "rest", "end"}; !slices.Equal(got, want) || w.last != "end" {
		t.Errorf("%d lines %.50q, last %q", len(got), got, w.last)
	}
}
