package conformance

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
)

// client is a client in the scenario.
type client struct {
	s           *play
	driver      *driver
	name, store string
	player      player // whose session was in the store; the zero player for none
}

// setup describes a new client, and the session that is in its store before.
type setup struct {
	request  request
	player   player
	session  session // that is stored before; the zero session for none
	forward  time.Duration
	otherOne bool // true if the client runs in another process
}

// session is the stored form of a session.
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

// sharing gives a client the store of the other client.
func sharing(other *client) option {
	return func(o *setup) { o.request.Store, o.session = other.store, session{} }
}

// aged makes the stored session older: the client received its access token that long ago.
func aged(by time.Duration) option {
	return func(o *setup) { o.session.ReceivedAt = time.Now().Add(-by).UTC().Format(time.RFC3339Nano) }
}

// expired stores an expired access token.
func (s *play) expired(o *setup) {
	text, err := s.stage.Keys.IssueAccess(o.player.User, world.Now().Add(-20*time.Minute))
	s.must(err)
	o.session.Token = text
}

// client makes a client without a session.
func (s *play) client(options ...option) *client { return s.make(player{}, session{}, options) }

// playing makes a client that finds a session of the player in its store.
func (s *play) playing(p player, options ...option) *client {
	return s.make(p, session{
		API:    s.proxy.URL,
		UserID: string(p.ID), Username: p.Username, Token: p.Access, RefreshToken: p.Refresh, LifetimeMs: (15 * time.Minute).Milliseconds(),
		ReceivedAt: time.Now().UTC().Format(time.RFC3339Nano),
	}, options)
}

// anybody makes a client of a new player.
func (s *play) anybody(options ...option) *client { return s.playing(s.player(), options...) }

func (s *play) make(p player, stored session, options []option) *client {
	name := world.NewName()
	first := request{Op: "new", Client: name, API: s.proxy.URL, Store: "s" + name, TimeoutMs: amply.Milliseconds()}
	o := setup{request: first, player: p, session: stored}
	for _, option := range options {
		option(&o)
	}
	c := &client{s: s, driver: s.driver, name: name, store: o.request.Store, player: p}
	if o.otherOne {
		c.driver = startDriver(s, s.driver.command...)
	}
	if o.session != (session{}) {
		c.ask(request{Op: "plant", Store: c.store, Args: s.json(o.session)})
	}
	c.ask(o.request)
	if o.forward != 0 {
		c.forward(o.forward)
	}
	return c
}

func (s *play) json(v any) json.RawMessage {
	text, err := json.Marshal(v)
	s.must(err)
	return text
}

// ask sends a request that must succeed.
func (c *client) ask(r request) json.RawMessage {
	got := c.s.ended(c.s.ask(c.driver, r))
	c.s.ok(got, nil)
	return got.OK
}

// args are a call's arguments.
type args = map[string]any

// start begins a call.
func (c *client) start(op string, a args) pending {
	r := request{Op: op, Client: c.name}
	if a != nil {
		r.Args = c.s.json(a)
	}
	return c.s.ask(c.driver, r)
}

// call makes a call and waits for it.
func (c *client) call(op string, a args) result { return c.s.ended(c.start(op, a)) }

// reads begins n calls that read the animals.
func (c *client) reads(n int) (calls []pending) {
	for range n {
		calls = append(calls, c.start("animals", nil))
	}
	return calls
}

// succeed waits for calls, which must succeed.
func (s *play) succeed(calls []pending) {
	for _, call := range calls {
		s.ok(s.ended(call), nil)
	}
}

func (c *client) cancel(p pending) { c.ask(request{Op: "cancel", Of: p.id}) }

// forward moves the client's clock, back if by is negative.
func (c *client) forward(by time.Duration) {
	c.ask(request{Op: "clock", Client: c.name, ForwardMs: by.Milliseconds()})
}

// stored returns the session in the client's store. If the store has none, it returns a zero session.
func (c *client) stored() session {
	var found session
	c.s.must(json.Unmarshal(c.ask(request{Op: "peek", Store: c.store}), &found))
	return found
}

// delays returns the waits, in milliseconds, that the client has skipped since the last call of delays.
func (c *client) delays() []int64 {
	var delays []int64
	c.s.must(json.Unmarshal(c.ask(request{Op: "delays", Client: c.name}), &delays))
	return delays
}

// told checks all events of the client so far. They have the form of driver.told.
func (c *client) told(want ...string) { c.s.equal("events", c.driver.told(c.name), want) }

// neverTold checks that there was no such event so far.
func (c *client) neverTold(event string) {
	assert.NotContains(c.s, c.driver.told(c.name), event)
}

// file returns the name of a store in a new file.
func (s *play) file() string { return "file:" + filepath.Join(s.TempDir(), "session.json") }
