// Command driver operates the Go client for package conformance.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/client"
)

func main() {
	d := &driver{
		out: json.NewEncoder(os.Stdout), sessions: map[string]*client.Session{}, clients: map[string]*driven{},
		underWay: map[int]context.CancelFunc{},
	}
	if err := d.serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

type driver struct {
	mu       sync.Mutex
	out      *json.Encoder
	sessions map[string]*client.Session // that the suite has stored, by store
	clients  map[string]*driven
	underWay map[int]context.CancelFunc
}

// driven is a client with its clock and its recorded delays. The driver's lock protects them.
type driven struct {
	client  *client.Client
	store   string
	forward time.Duration
	delays  []int64
}

// serve answers requests until the input ends.
func (d *driver) serve(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r protocol.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		d.mu.Lock()
		d.underWay[r.ID] = cancel
		d.mu.Unlock()
		go func() {
			ok, err := d.do(ctx, r)
			d.finish(r, ok, err)
		}()
	}
	return lines.Err()
}

// do executes a request of the suite and returns the result.
func (d *driver) do(ctx context.Context, r protocol.Request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.clients[r.Client]
	switch {
	case r.Op == "new":
		d.add(r)
	case r.Op == "peek":
		return d.peek(r.Store), nil
	case r.Op == "plant":
		d.sessions[r.Store] = &client.Session{}
		return nil, json.Unmarshal(r.Args, d.sessions[r.Store])
	case r.Op == "cancel":
		if cancel := d.underWay[r.Of]; cancel != nil {
			cancel()
		}
	case c == nil:
		return nil, fmt.Errorf("%s: there is no client %q", r.Op, r.Client)
	case r.Op == "clock":
		c.forward += time.Duration(r.ForwardMs) * time.Millisecond
	case r.Op == "delays":
		delays := c.delays
		c.delays = []int64{}
		return delays, nil
	default:
		d.mu.Unlock()
		defer d.mu.Lock()
		return call(ctx, c.client, r.Op, r.Args)
	}
	return nil, nil
}

// finish answers a request.
func (d *driver) finish(r protocol.Request, ok any, err error) {
	content, broken := json.Marshal(ok)
	m := protocol.Message{ID: r.ID, OK: content}
	if err = cmp.Or(err, broken); err != nil {
		m = protocol.Message{ID: r.ID, Error: new(describe(err))}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.underWay[r.ID]()
	delete(d.underWay, r.ID)
	_ = d.out.Encode(m) // the suite may be gone
}

// peek returns the session of a client that uses the store, or nil if no such client has one. The caller holds d.mu.
func (d *driver) peek(store string) *client.Session {
	for _, c := range d.clients {
		if s, there := c.client.Session(); there && c.store == store {
			return &s
		}
	}
	return nil
}

// add makes a client whose clock the suite can change. Instead of waiting between attempts, it records the delay. The
// caller holds the lock.
func (d *driver) add(r protocol.Request) {
	c := &driven{store: r.Store, delays: []int64{}}
	c.client = client.New(r.API, client.Options{
		Session: d.sessions[r.Store], Attempts: r.Attempts, Timeout: time.Duration(r.TimeoutMs) * time.Millisecond,
		Now: func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return time.Now().Add(c.forward)
		},
		Wait: func(ctx context.Context, delay time.Duration) error {
			d.mu.Lock()
			c.delays = append(c.delays, delay.Milliseconds())
			d.mu.Unlock()
			if r.Stuck {
				<-ctx.Done()
			}
			return ctx.Err()
		},
	})
	d.clients[r.Client] = c
}

// describe returns an error in the form of the protocol.
func describe(err error) protocol.Failure {
	if unknown, ok := errors.AsType[*client.UnknownOutcomeError](err); ok {
		return protocol.Failure{Kind: protocol.Unknown, Cause: new(describe(unknown.Err)), Message: err.Error()}
	}
	if ended, ok := errors.AsType[*client.SessionEndedError](err); ok {
		return protocol.Failure{Kind: protocol.Ended, Reason: ended.Reason, Message: err.Error()}
	}
	if said, ok := errors.AsType[*client.Error](err); ok {
		return protocol.Failure{
			Kind: protocol.API, Status: said.Status, Code: string(said.Code), Message: said.Message, Details: said.Details, RequestID: said.RequestID,
		}
	}
	if _, ok := errors.AsType[*client.NetworkError](err); ok {
		return protocol.Failure{Kind: protocol.Network, Message: err.Error()}
	}
	if errors.Is(err, context.Canceled) {
		return protocol.Failure{Kind: protocol.Cancelled}
	}
	return protocol.Failure{Kind: protocol.Other, Message: err.Error()}
}

// arguments has the arguments of all calls.
type arguments struct {
	client.Registration
	Show, Animal, Tier, Status string
}

// call makes a call of a client, and returns its result.
func call(ctx context.Context, c *client.Client, op string, args json.RawMessage) (any, error) {
	var a arguments
	if args != nil {
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
	}
	switch op {
	case "register":
		return c.Register(ctx, a.Registration)
	case "login":
		return c.Login(ctx, a.Email, a.Password)
	case "logout":
		return nil, c.Logout(ctx)
	case "session":
		session, there := c.Session()
		if !there {
			return nil, nil
		}
		return session, nil
	case "shows":
		return c.Shows(ctx, client.ShowFilter{Tier: a.Tier, Status: a.Status})
	case "show":
		return c.Show(ctx, a.Show)
	case "enter":
		return c.Enter(ctx, a.Show, a.Animal)
	case "judge":
		return c.Judge(ctx, a.Show)
	case "claim":
		return c.Claim(ctx, a.Show)
	}
	read := reflect.ValueOf(c).MethodByName(strings.ToUpper(op[:1]) + op[1:])
	if !read.IsValid() || read.Type().NumIn() != 1 || read.Type().NumOut() != 2 {
		return nil, fmt.Errorf("there is no operation %q", op)
	}
	answer := read.Call([]reflect.Value{reflect.ValueOf(ctx)}) // a read without arguments
	err, _ := answer[1].Interface().(error)
	return answer[0].Interface(), err
}
