// Command driver drives the Go client for the suite (package conformance), or, with an argument, a bad client that is
// made of it (bad.go).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/client"
)

func main() {
	d := &driver{stores: map[string]client.Store{}}
	if len(os.Args) > 1 {
		d.way = os.Args[1]
	}
	if err := protocol.Serve(os.Stdin, os.Stdout, d); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

type driver struct {
	way    string // of a bad client; "": it is a good one
	mu     sync.Mutex
	stores map[string]client.Store
}

// store returns the store of a name, "" has one of its own each time.
func (d *driver) store(name string) client.Store {
	if path, file := strings.CutPrefix(name, "file:"); file {
		return client.FileStore{Path: path}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "" || d.stores[name] == nil {
		d.stores[name] = &client.MemoryStore{}
	}
	return d.stores[name]
}

func (d *driver) New(r protocol.Request, s protocol.Surroundings) protocol.Client {
	store := d.store(r.Store)
	if r.SlowMs > 0 {
		store = slow{store, time.Duration(r.SlowMs) * time.Millisecond}
	}
	made := driven{client.New(r.API, spoil(d.way, client.Options{
		Store: store, Attempts: r.Attempts, Timeout: time.Duration(r.TimeoutMs) * time.Millisecond, Now: s.Now, Wait: s.Wait,
		Events: func(e client.Event) { s.Tell(protocol.Event{Kind: string(e.Kind), Reason: e.Reason}) },
	}))}
	if d.way == wrong {
		return opposite{made}
	}
	return made
}

// slow is a store that takes its time: before each operation, and again after it.
type slow struct {
	client.Store
	by time.Duration
}

func (s slow) Load(ctx context.Context) (*client.Session, error) {
	time.Sleep(s.by)
	defer time.Sleep(s.by)
	return s.Store.Load(ctx)
}

func (s slow) Update(ctx context.Context, change func(current *client.Session) *client.Session) error {
	time.Sleep(s.by)
	defer time.Sleep(s.by)
	return s.Store.Update(ctx, change)
}

func (d *driver) Peek(ctx context.Context, store string) (any, error) {
	return d.store(store).Load(ctx)
}

func (d *driver) Plant(ctx context.Context, store string, session json.RawMessage) error {
	var s client.Session
	if err := json.Unmarshal(session, &s); err != nil {
		return err
	}
	return d.store(store).Update(ctx, func(*client.Session) *client.Session { return &s })
}

func (d *driver) Describe(err error) protocol.Failure {
	if unknown, ok := errors.AsType[*client.UnknownOutcomeError](err); ok {
		cause := d.Describe(unknown.Err)
		return protocol.Failure{Kind: protocol.Unknown, Operation: unknown.Operation, Advice: unknown.Advice, Cause: &cause, Message: err.Error()}
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

type driven struct{ *client.Client }

// arguments are those of all calls.
type arguments struct {
	client.Registration
	Show, Animal, Tier, Status string
}

func (c driven) Call(ctx context.Context, op string, args json.RawMessage) (any, error) {
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
		session, there, err := c.Session(ctx)
		if !there {
			return nil, err
		}
		return session, err
	case "shows":
		return c.Shows(ctx, client.ShowFilter{Tier: a.Tier, Status: a.Status})
	case "show":
		return c.Show(ctx, a.Show)
	case "enter":
		entered, err := c.Enter(ctx, a.Show, a.Animal)
		return struct {
			client.Entered
			Resolved bool `json:"resolved"`
		}{entered, entered.Resolved}, err
	case "judge":
		judged, err := c.Judge(ctx, a.Show)
		return struct {
			client.Judged
			Resolved bool `json:"resolved"`
		}{judged, judged.Resolved}, err
	case "claim":
		claimed, err := c.Claim(ctx, a.Show)
		return struct {
			client.Claimed
			Resolved bool `json:"resolved"`
		}{claimed, claimed.Resolved}, err
	case "serverTime":
		return c.ServerTime().UnixMilli(), nil
	}
	read := reflect.ValueOf(c.Client).MethodByName(strings.ToUpper(op[:1]) + op[1:])
	if !read.IsValid() || read.Type().NumIn() != 1 || read.Type().NumOut() != 2 {
		return nil, fmt.Errorf("%w: %s", protocol.ErrNoOperation, op)
	}
	answer := read.Call([]reflect.Value{reflect.ValueOf(ctx)}) // of a read without arguments
	err, _ := answer[1].Interface().(error)
	return answer[0].Interface(), err
}
