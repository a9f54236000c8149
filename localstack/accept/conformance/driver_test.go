package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// request is a message to a driver, one line of JSON. driver/README.md explains the messages.
type request struct {
	ID        int             `json:"id"`
	Op        string          `json:"op"`
	Client    string          `json:"client,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	API       string          `json:"api,omitempty"`
	Store     string          `json:"store,omitempty"`
	Attempts  int             `json:"attempts,omitempty"`
	TimeoutMs int64           `json:"timeoutMs,omitempty"`
	Stuck     bool            `json:"stuck,omitempty"`
	SlowMs    int64           `json:"slowMs,omitempty"`
	ForwardMs int64           `json:"forwardMs,omitempty"`
	Of        int             `json:"of,omitempty"`
}

// The kinds of failures.
const (
	refusedByAPI = "api"
	network      = "network"
	unknown      = "unknown"
	ended        = "ended"
	cancelled    = "cancelled"
)

// failure is the error of a call. Its kind decides which fields it has.
type failure struct {
	Kind, Code, Message, RequestID, Operation, Advice, Reason string

	Status  int
	Details map[string][]string
	Cause   *failure
}

// result is the result of a call.
type result struct {
	OK    json.RawMessage
	Error *failure
}

func (r result) String() string {
	text, _ := json.Marshal(r)
	return fmt.Sprintf("%.600s", text)
}

// driver is the process of a driver, which makes the calls of clients.
type driver struct {
	command []string
	stderr  process.Tail
	in      io.Writer
	ended   chan struct{} // closed when the driver sends no more answers

	mu     sync.Mutex
	asked  []chan result       // by the id of the request, minus one
	events map[string][]string // by client: the kind, and the reason after a colon if there is one
}

// startDriver starts a driver. At the end of the test it closes the driver's input. The driver must then end without an
// error.
func startDriver(t testing.TB, command ...string) *driver {
	t.Helper()
	d := &driver{command: command, ended: make(chan struct{}), events: map[string][]string{}}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = &d.stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	d.in = in
	go d.read(out)
	t.Cleanup(func() {
		_ = in.Close() // fails if the driver has ended
		late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		<-d.ended
		assert.NoError(t, cmd.Wait(), "the driver's end: %s", &d.stderr)
	})
	return d
}

func (d *driver) read(out io.Reader) {
	defer close(d.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m struct {
			result
			ID     int
			Client string
			Event  struct{ Kind, Reason string }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			fmt.Fprintf(&d.stderr, "no message: %.300s\n", lines.Bytes())
			continue
		}
		d.mu.Lock()
		if m.ID > 0 && m.ID <= len(d.asked) {
			d.asked[m.ID-1] <- m.result
		} else {
			d.events[m.Client] = append(d.events[m.Client], strings.TrimSuffix(m.Event.Kind+":"+m.Event.Reason, ":"))
		}
		d.mu.Unlock()
	}
}

// pending is a call under way.
type pending struct {
	driver *driver
	id     int
	op     string
	answer chan result
}

// ask sends a request to a driver.
func (s *play) ask(d *driver, r request) pending {
	p := pending{driver: d, op: r.Op, answer: make(chan result, 1)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, p.answer)
	p.id, r.ID = len(d.asked), len(d.asked)
	_, err := d.in.Write(append(s.json(r), '\n'))
	require.NoError(s, err, "the driver reads no more: %s", &d.stderr)
	return p
}

// ended waits for the result of a call.
func (s *play) ended(p pending) (r result) {
	select {
	case r = <-p.answer:
	case <-p.driver.ended:
		require.Fail(s, "the driver has ended", "%s: %s", p.op, &p.driver.stderr)
	case <-s.ctx.Done():
		require.Fail(s, "there was no answer", p.op)
	}
	return r
}

// told returns a client's events so far.
func (d *driver) told(client string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events[client])
}
