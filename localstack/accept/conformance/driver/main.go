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
	"iter"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/client"
)

func main() {
	d := &driver{out: json.NewEncoder(os.Stdout), stores: map[string]client.Store{}, clients: map[string]*driven{}, underWay: map[int]context.CancelFunc{}}
	if err := d.serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

type driver struct {
	mu       sync.Mutex
	out      *json.Encoder
	stores   map[string]client.Store
	clients  map[string]*driven
	underWay map[int]context.CancelFunc
}

// driven is a client with its clock and its recorded delays. The driver's lock protects them.
type driven struct {
	client  *client.Client
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
		if r.Op == "new" { // so that the client exists before the next request
			d.add(r)
			d.finish(r, nil, nil)
			continue
		}
		go func() {
			ok, err := d.do(ctx, r)
			d.finish(r, ok, err)
		}()
	}
	return lines.Err()
}

// do executes a request of the suite and returns the result.
func (d *driver) do(ctx context.Context, r protocol.Request) (any, error) {
	switch r.Op {
	case "peek":
		return d.store(r.Store).Load(ctx)
	case "plant":
		var s client.Session
		if err := json.Unmarshal(r.Args, &s); err != nil {
			return nil, err
		}
		return nil, d.store(r.Store).Update(ctx, func(*client.Session) *client.Session { return &s })
	}
	d.mu.Lock()
	c, cancel := d.clients[r.Client], d.underWay[r.Of]
	switch {
	case r.Op == "cancel":
		d.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return nil, nil
	case c == nil:
		d.mu.Unlock()
		return nil, fmt.Errorf("%s: there is no client %q", r.Op, r.Client)
	case r.Op == "clock":
		c.forward += time.Duration(r.ForwardMs) * time.Millisecond
		d.mu.Unlock()
		return nil, nil
	case r.Op == "delays":
		defer d.mu.Unlock()
		delays := c.delays
		c.delays = []int64{}
		return delays, nil
	}
	d.mu.Unlock()
	return call(ctx, c.client, r.Op, r.Args)
}

func (d *driver) finish(r protocol.Request, ok any, err error) {
	d.mu.Lock()
	d.underWay[r.ID]()
	delete(d.underWay, r.ID)
	d.mu.Unlock()
	content, broken := json.Marshal(ok)
	if err = cmp.Or(err, broken); err != nil {
		d.write(protocol.Message{ID: r.ID, Error: new(describe(err))})
		return
	}
	d.write(protocol.Message{ID: r.ID, OK: content})
}

func (d *driver) write(m protocol.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.out.Encode(m) // the suite may be gone
}

// store returns the session store with the given name. For a new name, and for each call with "", it makes a new one.
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

// add makes a client whose clock the suite can change. Instead of waiting between attempts, it records the delay.
func (d *driver) add(r protocol.Request) {
	c := &driven{delays: []int64{}}
	store := d.store(r.Store)
	if r.SlowMs > 0 {
		store = slow{store, time.Duration(r.SlowMs) * time.Millisecond}
	}
	c.client = client.New(r.API, client.Options{
		Store: store, Attempts: r.Attempts, Timeout: time.Duration(r.TimeoutMs) * time.Millisecond,
		Events: func(e client.Event) {
			d.write(protocol.Message{Event: &protocol.Event{Kind: string(e.Kind), Reason: e.Reason}, Client: r.Client})
		},
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
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clients[r.Client] = c
}

// slow is a session store that waits for the time by before each operation and again after it.
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

// describe returns an error in the form of the protocol.
func describe(err error) protocol.Failure {
	if unknown, ok := errors.AsType[*client.UnknownOutcomeError](err); ok {
		return protocol.Failure{Kind: protocol.Unknown, Operation: unknown.Operation, Advice: unknown.Advice, Cause: new(describe(unknown.Err)), Message: err.Error()}
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
	Show, Animal, Tier, Status, Around string
	Limit                              int
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
		session, there, err := c.Session(ctx)
		if !there {
			return nil, err
		}
		return session, err
	case "shows":
		return c.Shows(ctx, client.ShowFilter{Tier: a.Tier, Status: a.Status})
	case "eachShow":
		return all(c.EachShow(ctx, client.ShowFilter{Tier: a.Tier, Status: a.Status}))
	case "eachOwnEntry":
		return all(c.EachOwnEntry(ctx, client.OwnFilter{Show: a.Show, Limit: a.Limit}))
	case "eachEntry":
		return all(c.EachEntry(ctx, a.Show, client.EntriesAt{Limit: a.Limit}))
	case "showEntries":
		page, err := c.ShowEntries(ctx, a.Show, client.EntriesAt{Limit: a.Limit, Around: a.Around == "me"})
		return map[string]any{"items": page.Items, "next": page.Next, "prev": page.Prev}, err
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
	read := reflect.ValueOf(c).MethodByName(strings.ToUpper(op[:1]) + op[1:])
	if !read.IsValid() || read.Type().NumIn() != 1 || read.Type().NumOut() != 2 {
		return nil, fmt.Errorf("there is no operation %q", op)
	}
	answer := read.Call([]reflect.Value{reflect.ValueOf(ctx)}) // a read without arguments
	err, _ := answer[1].Interface().(error)
	return answer[0].Interface(), err
}

// all collects the items of an iterator.
func all[T any](items iter.Seq2[T, error]) ([]T, error) {
	list := []T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}
