package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// binary is the path of a build of testdata/function.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "gateway")
		if err == nil {
			defer os.RemoveAll(folder)
			binary = filepath.Join(folder, "bootstrap")
			err = build(binary, "first")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// build compiles testdata/function to a path. The program answers with name as its build.
func build(path, name string) error {
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-ldflags", "-s -w -X main.build="+name, "-o", path, "./testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the function cannot be built: %w\n%s", err, output)
	}
	return nil
}

// patience is how long a test waits for an event that must come.
const patience = 20 * time.Second

// logs collects the gateway's log.
type logs struct {
	mu   sync.Mutex
	text string
}

func (l *logs) add(logicalID, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text += logicalID + ": " + line + "\n"
}

func (l *logs) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// want checks how often the log has the text.
func (l *logs) want(t *testing.T, n int, part string) {
	t.Helper()
	assert.Equal(t, n, strings.Count(l.all(), part), "%q in the log\n%s", part, l.all())
}

// service is a gateway behind a real server.
type service struct {
	*Gateway
	t    *testing.T
	url  string
	logs *logs
}

// functionAt returns a function of the test binary.
func functionAt(logicalID, method, path string) FunctionConfig {
	return FunctionConfig{Binary: binary, Function: samtemplate.Function{
		LogicalID: logicalID, Method: method, Path: path, Timeout: patience, MemoryMB: 128,
	}}
}

func serve(t *testing.T, cfg Config) service {
	t.Helper()
	logs := &logs{}
	cfg.Log = logs.add
	g, err := New(t.Context(), cfg)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(nil)
	server.Config = g.Server(loopback.Hosts{})
	server.Start()
	t.Cleanup(func() {
		assert.NoError(t, g.Close())
		server.Close()
	})
	return service{Gateway: g, t: t, url: server.URL, logs: logs}
}

// serveOne serves one function at POST /do. changes adapt the gateway and the function.
func serveOne(t *testing.T, changes ...func(*Config, *FunctionConfig)) service {
	t.Helper()
	cfg, f := Config{}, functionAt("Do", "POST", "/do")
	for _, change := range changes {
		change(&cfg, &f)
	}
	cfg.Functions = []FunctionConfig{f}
	return serve(t, cfg)
}

func environment(name, value string) func(*Config, *FunctionConfig) {
	return func(_ *Config, f *FunctionConfig) { f.Variables = map[string]string{name: value} }
}

func oneProcess(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = 1 }

type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

// do sends a request to POST /do. testdata/function runs the command in its header X-Do.
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

// doing is do in the background.
func (s service) doing(command, body string) <-chan answer {
	done := make(chan answer, 1)
	go func() { done <- s.do(command, body) }()
	return done
}

// want checks the status and the body.
func (a answer) want(t *testing.T, status int, body string) {
	t.Helper()
	assert.True(t, a.err == nil && a.status == status && a.body == body,
		"%d %.300s %v, want %d %.300s", a.status, a.body, a.err, status, body)
}

const (
	internalError = `{"message":"Internal Server Error"}`
	unavailable   = `{"message":"Service Unavailable"}`
	notFound      = `{"message":"Not Found"}`
)

// instance is the data of testdata/function about itself.
type instance struct {
	PID              int
	Build            string
	Environment      []string
	RequestID, Trace string
	RemainingMS      int64
}

func (a answer) instance(t *testing.T) (i instance) {
	t.Helper()
	err := json.Unmarshal([]byte(a.body), &i)
	require.True(t, err == nil && a.status == http.StatusOK, "%d %q %v: %v", a.status, a.body, a.err, err)
	return i
}

// ask returns the process that answers a request.
func (s service) ask() instance {
	s.t.Helper()
	return s.do("instance", "").instance(s.t)
}

// state returns how many processes the first function has, how many of these are idle, and how many invocations wait.
func (s service) state() (workers, idle, waiting int) {
	f := s.functions[0]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.workers), len(f.idle), int(f.waiting.Load())
}

// awaitQueue waits until n invocations of the first function wait.
func (s service) awaitQueue(n int) {
	s.t.Helper()
	processtest.Eventually(s.t, "requests wait", func() bool { _, _, waiting := s.state(); return waiting == n })
}

// barrier is a server that holds functions until release. The command "wait" makes a function call its url.
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

// wait waits until n more functions have arrived at the barrier.
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
