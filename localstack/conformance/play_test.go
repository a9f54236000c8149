package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/conformance/lossy"
	"github.com/ranch-game/ranch/localstack/conformance/protocol"
)

// scenario is something that every client passes.
type scenario struct {
	id       string // stable: names the test
	sentence string // says what holds, for the list
	run      func(s *play)
}

// judge is what a scenario tells its failures to: a test, or somebody who wants them.
type judge interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
	Context() context.Context
	TempDir() string
	Cleanup(f func())
}

// play is a scenario that is played: it fails as a test does.
type play struct {
	judge
	ctx     context.Context
	world   *world
	drivers *drivers
	proxy   *lossy.Proxy // of this play alone
}

// patience is for a whole scenario.
const patience = time.Minute

// begin prepares a play; it ends with its judge.
func begin(j judge, w *world, d *drivers, patience time.Duration) *play {
	ctx, cancel := context.WithTimeout(j.Context(), patience)
	j.Cleanup(cancel)
	s := &play{judge: j, ctx: ctx, world: w, drivers: d}
	s.proxy = s.newProxy()
	return s
}

// newProxy returns another proxy of the real service.
func (s *play) newProxy() *lossy.Proxy {
	s.Helper()
	proxy, err := lossy.Start(s.world.stack.API)
	s.must(err)
	s.Cleanup(proxy.Close)
	return proxy
}

func (s *play) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

// client is one that the scenario plays with.
type client struct {
	s           *play
	driver      *driver
	name, store string
}

// setup says how a client is made, and what is stored before.
type setup struct {
	request   protocol.Request
	session   *session
	forward   time.Duration
	otherOne  bool // in the second driver's process
	unplanted bool // what is stored is there already
}

// session is the stored form.
type session struct {
	API          string `json:"api"`
	UserID       string `json:"userId"`
	Username     string `json:"username"`
	Token        string `json:"token"`
	RefreshToken string `json:"refreshToken"`
	ReceivedAt   string `json:"receivedAt"`
	LifetimeMs   int64  `json:"lifetimeMs"`
	AheadMs      int64  `json:"aheadMs"`
}

type option func(*setup)

func attempts(n int) option { return func(o *setup) { o.request.Attempts = n } }
func timeout(d time.Duration) option {
	return func(o *setup) { o.request.TimeoutMs = d.Milliseconds() }
}
func stuck(o *setup)                    { o.request.Stuck = true }
func otherProcess(o *setup)             { o.otherOne = true }
func in(store string) option            { return func(o *setup) { o.request.Store = store } }
func clockAhead(d time.Duration) option { return func(o *setup) { o.forward = d } }

// sharing has what the other client has: its store, with what is in it.
func sharing(other *client) option {
	return func(o *setup) { o.request.Store, o.unplanted = other.store, true }
}

// aged makes the stored session older: its access token came so long ago, and is as old.
func aged(by time.Duration) option {
	return func(o *setup) {
		if o.session != nil {
			o.session.ReceivedAt = time.Now().Add(-by).UTC().Format(time.RFC3339Nano)
		}
	}
}

// token stores another access token.
func accessToken(text string) option {
	return func(o *setup) {
		if o.session != nil {
			o.session.Token = text
		}
	}
}

// client makes a client without a session.
func (s *play) client(options ...option) *client {
	s.Helper()
	return s.make(nil, options)
}

// playing makes a client that finds a player's session in its store.
func (s *play) playing(p player, options ...option) *client {
	s.Helper()
	return s.make(&session{
		UserID: string(p.ID), Username: p.Username, Token: p.access, RefreshToken: p.refresh, LifetimeMs: (15 * time.Minute).Milliseconds(),
		ReceivedAt: time.Now().UTC().Format(time.RFC3339Nano),
	}, options)
}

func (s *play) make(stored *session, options []option) *client {
	s.Helper()
	name := newClientName()
	o := setup{request: protocol.Request{Op: "new", Client: name, API: s.proxy.URL, Store: "s" + name}, session: stored}
	for _, option := range options {
		option(&o)
	}
	if stored != nil && stored.API == "" {
		stored.API = o.request.API
	}
	c := &client{s: s, driver: s.drivers.first, name: name, store: o.request.Store}
	if o.otherOne {
		var err error
		c.driver, err = s.drivers.second()
		s.must(err)
	}
	if stored != nil && !o.unplanted {
		c.ask(protocol.Request{Op: "plant", Store: c.store, Args: s.json(stored)})
	}
	c.ask(o.request)
	if o.forward != 0 {
		c.forward(o.forward)
	}
	return c
}

func (s *play) json(v any) json.RawMessage {
	s.Helper()
	text, err := json.Marshal(v)
	s.must(err)
	return text
}

// ask sends a request that must succeed.
func (c *client) ask(r protocol.Request) json.RawMessage {
	c.s.Helper()
	p, err := c.driver.ask(r)
	c.s.must(err)
	got, err := p.wait(c.s.ctx)
	c.s.must(err)
	if got.failure != nil {
		c.s.Fatalf("%s", got)
	}
	return got.ok
}

// args are a call's arguments.
type args = map[string]any

// start begins a call.
func (c *client) start(op string, a args) *pending {
	c.s.Helper()
	r := protocol.Request{Op: op, Client: c.name}
	if a != nil {
		r.Args = c.s.json(a)
	}
	p, err := c.driver.ask(r)
	c.s.must(err)
	return p
}

// ended waits for a call.
func (s *play) ended(p *pending) result {
	s.Helper()
	r, err := p.wait(s.ctx)
	s.must(err)
	return r
}

// call makes a call and waits for it.
func (c *client) call(op string, a args) result {
	c.s.Helper()
	return c.s.ended(c.start(op, a))
}

// atOnce makes the same call n times, all under way at once.
func (c *client) atOnce(n int, op string, a args) []result {
	c.s.Helper()
	calls, results := make([]*pending, n), make([]result, n)
	for i := range calls {
		calls[i] = c.start(op, a)
	}
	for i := range calls {
		results[i] = c.s.ended(calls[i])
	}
	return results
}

func (c *client) cancel(p *pending) {
	c.s.Helper()
	c.ask(protocol.Request{Op: "cancel", Of: p.id})
}

// forward moves the client's clock.
func (c *client) forward(by time.Duration) {
	c.s.Helper()
	c.ask(protocol.Request{Op: "clock", Client: c.name, ForwardMs: by.Milliseconds()})
}

// stored returns the session in the client's store, nil where there is none.
func (c *client) stored() *session {
	c.s.Helper()
	var found *session
	c.s.must(json.Unmarshal(c.ask(protocol.Request{Op: "peek", Store: c.store}), &found))
	return found
}

// delays returns how long the client would have waited since it was last asked, in milliseconds.
func (c *client) delays() []int64 {
	c.s.Helper()
	var delays []int64
	c.s.must(json.Unmarshal(c.ask(protocol.Request{Op: "delays", Client: c.name}), &delays))
	return delays
}

// told checks all events of the client so far: kinds, with reasons after a colon.
func (c *client) told(want ...string) {
	c.s.Helper()
	got := []string{}
	for _, e := range c.driver.told(c.name) {
		got = append(got, strings.TrimSuffix(e.Kind+":"+e.Reason, ":"))
	}
	if !reflect.DeepEqual(got, append([]string{}, want...)) {
		c.s.Errorf("the events were %q, want %q", got, want)
	}
}

// ok checks that a call has succeeded, and decodes what it answers; nil: it is not looked at.
func (s *play) ok(r result, v any) {
	s.Helper()
	if r.failure != nil {
		s.Fatalf("%s", r)
	}
	if v != nil {
		if err := json.Unmarshal(r.ok, v); err != nil {
			s.Fatalf("%s: %v", r, err)
		}
	}
}

// fails checks that a call has failed in a way.
func (s *play) fails(r result, kind string) protocol.Failure {
	s.Helper()
	if r.failure == nil || r.failure.Kind != kind {
		s.Fatalf("got %s; want an error of the kind %s", r, kind)
	}
	return *r.failure
}

// refused checks that the answer to a call was an error of the API.
func (s *play) refused(r result, status int, code, message string) {
	s.Helper()
	if f := s.fails(r, protocol.API); f.Status != status || f.Code != code || f.Message != message {
		s.Errorf("got %s; want %d, %s, %q", r, status, code, message)
	}
}

// endedBy checks that a call has failed for want of a session.
func (s *play) endedBy(r result, reason string) {
	s.Helper()
	if f := s.fails(r, protocol.Ended); f.Reason != reason {
		s.Errorf("got %s; want the reason %q", r, reason)
	}
}

// unknown checks that the client does not know what became of a change, and advises.
func (s *play) unknown(r result, operation, cause string) {
	s.Helper()
	f := s.fails(r, protocol.Unknown)
	if f.Operation != operation || f.Advice == "" || f.Cause == nil || f.Cause.Kind != cause {
		s.Errorf("got %s; want an unknown %s, with advice, for an error of the kind %s", r, operation, cause)
	}
}

func (s *play) equal(what string, got, want any) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// came checks how many requests of a route the proxy has seen. Paths have * for any segment.
func (s *play) came(n int, method, path string) {
	s.Helper()
	if got := s.proxy.Came(method, path); got != n {
		s.Errorf("%d requests of %s %s came, want %d", got, method, path, n)
	}
}

// played checks that a fault was met so often: what is to be borne has happened.
func (s *play) played(r *lossy.Rule, n int) {
	s.Helper()
	if got := r.Played(); got != n {
		s.Errorf("the fault was met %d times, want %d", got, n)
	}
}

// file returns a store in a file of the play's own.
func (s *play) file() string { return "file:" + filepath.Join(s.TempDir(), "session.json") }

// describe is for messages.
func describe(v any) string { return fmt.Sprintf("%+v", v) }
