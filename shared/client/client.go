package client

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options configures a Client. The zero value is right for a game that keeps its session in memory.
type Options struct {
	// HTTP sends the requests. The client never follows a redirect, whatever CheckRedirect says. If it is nil, all such
	// clients share one that keeps connections open.
	HTTP *http.Client
	// Store keeps the session. Clients that share a Store share the session. If it is nil, the session is kept in
	// memory.
	Store Store
	// Events receives the changes of the session, one at a time and in order. It may call the client.
	Events func(Event)
	// Trace receives each request with its answer, including passwords and tokens.
	Trace func(Exchange)
	// Timeout limits one attempt of a call. 0 stands for 10 s, and for 35 s if the call judges a show.
	Timeout time.Duration
	// Attempts is how often a call is sent at most. 0 stands for 4.
	Attempts int
	// AllowHTTP allows an http:// address of another machine. Anybody on the network can then read passwords and
	// tokens.
	AllowHTTP bool

	// Now, Wait and Random are for tests. They replace time.Now, the sleep between attempts, and rand.Float64.
	Now    func() time.Time
	Wait   func(ctx context.Context, delay time.Duration) error
	Random func() float64
}

const (
	defaultTimeout  = 10 * time.Second
	judgingTimeout  = 35 * time.Second
	defaultAttempts = 4
)

// Client calls the API as one player. New makes one. It is safe for concurrent use: calls that need a new access token
// share one refresh.
type Client struct {
	options   Options
	transport Transport
	keeper    *keeper

	mu          sync.Mutex
	flight      *flight        // the refresh under way, or nil
	begun       int            // the number of log-ins and log-outs so far. Each abandons the flight
	endedBy     string         // why the last session of this client ended; "" if there is a session
	endedToken  string         // the refresh token of that session
	unreachable bool           // what the last event said
	ahead       *time.Duration // of the last session that was seen; nil before
	row         []*notice      // events that are not delivered yet, in order
	telling     bool           // a goroutine delivers events
}

// keepAlive returns the HTTP client of all Clients without one of their own, so that they share connections.
var keepAlive = sync.OnceValue(func() *http.Client {
	connections := http.DefaultTransport
	if t, ok := connections.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 32
		connections = t
	}
	return &http.Client{Transport: connections}
})

// ErrHTTP is the error of every call if the API's address begins with http:// and is not on this machine. Nothing is
// sent. Options.AllowHTTP allows such addresses.
var ErrHTTP = errors.New("client: the API's address begins with http://, so that anybody on the way could read the password or the token: " +
	"use https://, or set Options.AllowHTTP")

// isSafe reports whether other machines cannot read requests to an API: they go over TLS or stay on this machine.
func isSafe(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "http" {
		return true // a wrong address fails by itself
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// New returns a client of the API at a base URL, such as https://api.example.com. It sends nothing.
func New(api string, o Options) *Client {
	if o.HTTP == nil {
		o.HTTP = keepAlive()
	}
	if o.Store == nil {
		o.Store = &MemoryStore{}
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	o.Attempts = max(1, cmp.Or(o.Attempts, defaultAttempts))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	transport := Transport{API: strings.TrimRight(api, "/"), HTTP: o.HTTP, Trace: o.Trace}
	return &Client{options: o, transport: transport, keeper: &keeper{store: o.Store, api: transport.API}}
}

// Session returns the current session, or false if the player must log in. It reads the Store and sends nothing. An
// error is the Store's. Other calls still work then: the client keeps the session in memory.
func (c *Client) Session(ctx context.Context) (Session, bool, error) {
	s, err := c.load(ctx)
	if err != nil {
		return Session{}, false, err
	}
	if s == nil {
		return Session{}, false, c.keeper.failure()
	}
	return *s, true, c.keeper.failure()
}

// Show returns a show with all its entries. It is an *Error with the code NotFound if there is no such show. The answer
// for a large show has megabytes: use ShowEntries for pages of it.
func (c *Client) Show(ctx context.Context, id string) (ShowDetail, error) {
	return get[ShowDetail](ctx, c, showPath(id))
}

// Season returns the active season with the caller's score, or nil if no season is active.
func (c *Client) Season(ctx context.Context) (*Season, error) {
	answer, err := get[seasonAnswer](ctx, c, "/events/season")
	if err != nil || answer.none() {
		return nil, err
	}
	return &answer.Season, nil
}

func showPath(id string) string { return "/events/shows/" + url.PathEscape(id) }

func get[T any](ctx context.Context, c *Client, path string) (value T, err error) {
	var answer T
	request := Request{Method: http.MethodGet, Path: path}
	if err := c.protected(ctx, request, c.timeout(defaultTimeout)).read(http.StatusOK, &answer); err != nil {
		return value, err
	}
	return answer, nil
}

// ServerTime returns the time by the service's clock, to the second. Use it for countdowns to a closing time. It is
// this machine's time plus the difference that the last access token showed. Before the first token, it is this
// machine's.
func (c *Client) ServerTime() time.Time {
	c.mu.Lock()
	known := c.ahead != nil
	c.mu.Unlock()
	if !known {
		_, _ = c.load(context.Background()) // if it cannot be loaded, the time is this machine's
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.Now()
	if c.ahead == nil {
		return now
	}
	return now.Add(*c.ahead)
}

func (c *Client) timeout(usual time.Duration) time.Duration {
	return cmp.Or(c.options.Timeout, usual)
}
