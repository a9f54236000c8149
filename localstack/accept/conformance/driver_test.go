package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// driver is the process of a driver, which makes the calls of clients.
type driver struct {
	process *process.Process
	stderr  process.Tail
	in      io.WriteCloser
	ended   chan struct{} // closed when the driver sends no more answers

	writing sync.Mutex

	mu     sync.Mutex
	last   int // the id of the last request
	asked  map[int]chan result
	events map[string][]protocol.Event
}

// result is the result of a call.
type result struct {
	what    string
	ok      json.RawMessage
	failure *protocol.Failure
}

func (r result) String() string {
	if r.failure == nil {
		return fmt.Sprintf("%s: %.300s", r.what, r.ok)
	}
	failure, _ := json.Marshal(r.failure)
	return fmt.Sprintf("%s: %.600s", r.what, failure)
}

// endPatience is the time that a driver gets to end after its input has ended.
const endPatience = 30 * time.Second

func startDriver(command ...string) (*driver, error) {
	d := &driver{ended: make(chan struct{}), asked: map[int]chan result{}, events: map[string][]protocol.Event{}}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = &d.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, answers := io.Pipe()
	cmd.Stdout, d.in = answers, in
	if d.process, err = process.Start(cmd); err != nil {
		return nil, err
	}
	go func() {
		<-d.process.Done()
		answers.Close()
	}()
	go d.read(out)
	return d, nil
}

// stop closes the driver's input, so that the driver ends, and waits for its end. It returns an error if the driver
// does not end, or fails, for example because of a data race.
func (d *driver) stop() error {
	_ = d.in.Close() // fails if the driver has ended
	select {
	case <-d.process.Done():
	case <-time.After(endPatience):
		d.process.Stop(0)
		return fmt.Errorf("the driver did not end when its input did: %s", &d.stderr)
	}
	if err := d.process.Wait(); err != nil {
		return fmt.Errorf("the driver's end: %w: %s", err, &d.stderr)
	}
	return nil
}

func (d *driver) read(out *io.PipeReader) {
	defer close(d.ended)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m protocol.Message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			fmt.Fprintf(&d.stderr, "no message: %.300s\n", lines.Bytes())
			continue
		}
		d.mu.Lock()
		if m.Event != nil {
			d.events[m.Client] = append(d.events[m.Client], *m.Event)
		} else if answer := d.asked[m.ID]; answer != nil {
			delete(d.asked, m.ID)
			answer <- result{ok: m.OK, failure: m.Error}
		}
		d.mu.Unlock()
	}
}

// pending is a call under way.
type pending struct {
	driver *driver
	id     int
	what   string
	answer chan result
}

// ask sends a request.
func (d *driver) ask(r protocol.Request) (*pending, error) {
	p := &pending{driver: d, what: r.Op, answer: make(chan result, 1)}
	d.mu.Lock()
	d.last++
	r.ID, p.id = d.last, d.last
	d.asked[p.id] = p.answer
	d.mu.Unlock()
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("the driver reads no more: %w: %s", err, &d.stderr)
	}
	return p, nil
}

// wait waits for the result.
func (p *pending) wait(ctx context.Context) (result, error) {
	select {
	case r := <-p.answer:
		r.what = p.what
		return r, nil
	case <-p.driver.ended:
		return result{}, fmt.Errorf("%s: the driver has ended: %s", p.what, &p.driver.stderr)
	case <-ctx.Done():
		return result{}, fmt.Errorf("%s: there was no answer: %w", p.what, ctx.Err())
	}
}

// told returns a client's events so far: their kinds, each with its reason after a colon if it has one.
func (d *driver) told(client string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	events := []string{}
	for _, e := range d.events[client] {
		events = append(events, strings.TrimSuffix(e.Kind+":"+e.Reason, ":"))
	}
	return events
}
