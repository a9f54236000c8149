package protocol

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Driver drives clients of one kind.
type Driver interface {
	// New makes a client as a request of "new" says, in its surroundings.
	New(r Request, s Surroundings) Client
	// Peek returns the session of a store, nil where there is none.
	Peek(ctx context.Context, store string) (any, error)
	// Plant stores a session.
	Plant(ctx context.Context, store string, session json.RawMessage) error
	// Describe says which kind of failure an error is.
	Describe(err error) Failure
}

// Client is one that is driven.
type Client interface {
	// Call makes a call and returns what it answers.
	Call(ctx context.Context, op string, args json.RawMessage) (any, error)
}

// Surroundings are what a client is given in the place of the real ones.
type Surroundings struct {
	Tell func(Event)
	Now  func() time.Time
	Wait func(ctx context.Context, delay time.Duration) error
}

// Serve answers requests until they end.
func Serve(in io.Reader, out io.Writer, d Driver) error {
	s := &server{driver: d, out: json.NewEncoder(out), clients: map[string]*driven{}, underWay: map[int]context.CancelFunc{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.underWay[r.ID] = cancel
		s.mu.Unlock()
		if r.Op == "new" { // before what is asked of it next
			s.finish(r, nil, s.add(r))
			continue
		}
		go func() {
			ok, err := s.do(ctx, r)
			s.finish(r, ok, err)
		}()
	}
	return lines.Err()
}

type server struct {
	driver Driver

	mu       sync.Mutex
	out      *json.Encoder
	clients  map[string]*driven
	underWay map[int]context.CancelFunc
}

// driven is a client with what is moved of it; the server's lock guards it.
type driven struct {
	client  Client
	forward time.Duration
	delays  []int64
}

func (s *server) add(r Request) error {
	d := &driven{delays: []int64{}}
	d.client = s.driver.New(r, Surroundings{
		Tell: func(e Event) { s.write(Message{Event: &e, Client: r.Client}) },
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return time.Now().Add(d.forward)
		},
		Wait: func(ctx context.Context, delay time.Duration) error {
			s.mu.Lock()
			d.delays = append(d.delays, delay.Milliseconds())
			s.mu.Unlock()
			if r.Stuck {
				<-ctx.Done()
			}
			return ctx.Err()
		},
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[r.Client] = d
	return nil
}

func (s *server) do(ctx context.Context, r Request) (any, error) {
	s.mu.Lock()
	d, cancel := s.clients[r.Client], s.underWay[r.Of]
	s.mu.Unlock()
	switch r.Op {
	case "peek":
		return s.driver.Peek(ctx, r.Store)
	case "plant":
		return nil, s.driver.Plant(ctx, r.Store, r.Args)
	case "cancel":
		if cancel != nil {
			cancel()
		}
		return nil, nil
	}
	if d == nil {
		return nil, fmt.Errorf("%s: there is no client %q", r.Op, r.Client)
	}
	s.mu.Lock()
	switch r.Op {
	case "clock":
		d.forward += time.Duration(r.ForwardMs) * time.Millisecond
		s.mu.Unlock()
		return nil, nil
	case "delays":
		delays := d.delays
		d.delays = []int64{}
		s.mu.Unlock()
		return delays, nil
	}
	s.mu.Unlock()
	return d.client.Call(ctx, r.Op, r.Args)
}

func (s *server) finish(r Request, ok any, err error) {
	s.mu.Lock()
	s.underWay[r.ID]()
	delete(s.underWay, r.ID)
	s.mu.Unlock()
	if err != nil {
		failure := s.driver.Describe(err)
		s.write(Message{ID: r.ID, Error: &failure})
		return
	}
	content, err := json.Marshal(ok)
	if err != nil {
		s.write(Message{ID: r.ID, Error: &Failure{Kind: Other, Message: err.Error()}})
		return
	}
	s.write(Message{ID: r.ID, OK: content})
}

func (s *server) write(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(m) // whoever reads may be gone
}

// ErrNoOperation is for operations that a driver does not know.
var ErrNoOperation = errors.New("there is no such operation")
