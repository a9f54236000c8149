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
	// HTTP sends the requests. The client never follows a redirect, whatever CheckRedirect says. If HTTP is nil, the
	// client uses an http.Client that all such clients share, and that keeps connections open.
	HTTP *http.Client
	// Store keeps the session. Clients that share a Store share the session. If Store is nil, the client keeps the
	// session in memory.
	Store Store
	// Events receives the changes of the session, one at a time and in order. It may call the client.
	Events func(Event)
	// Trace receives each request with its answer, including passwords and tokens.
	Trace func(Exchange)
	// Timeout limits one attempt of a call. 0 means 10 s, or 35 s if the call judges a show.
	Timeout time.Duration
	// Attempts is the largest number of attempts of a call. 0 means 4.
	Attempts int
	// AllowHTTP allows an http:// address of another machine. Anyone on the network can then read passwords and tokens.
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

// Client calls the API as one player. New returns a Client. It is safe for concurrent use: calls share one refresh.
type Client struct {
	options   Options
	transport Transport
	keeper    *keeper

	mu          sync.Mutex
	flight      *flight        // the refresh under way, or nil
	begun       int            // the number of log-ins and log-outs so far. Each abandons the flight
	endedBy     string         // why the last session of this client ended; "" if there is a session
	endedToken  string         // the refresh token of that session
	unreachable bool           // the last of the events Unreachable and Reachable was Unreachable
	ahead       *time.Duration // Session.Ahead of the last known session; nil before
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

// ErrHTTP is the error of every call if the API's address begins with http:// and is not on this machine. The client
// then sends nothing. Options.AllowHTTP allows such addresses.
var ErrHTTP = errors.New("client: the API's address begins with http://, so that anybody on the way could read the password or the token: " +
	"use https://, or set Options.AllowHTTP")

// isSafe reports whether no other machine can read requests to an API, because they use TLS or stay on this machine.
func isSafe(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "http" {
		return true // a call to a wrong address fails anyway
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// New returns a client of the API at the base URL api, such as https://api.example.com. It sends nothing.
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

// Session returns the current session, or false if the player must log in. It reads the Store and sends nothing. If the
// Store fails, Session returns the Store's error. Other calls still work then: the client keeps the session in memory.
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

// Show returns a show with all its entries. If the show does not exist, the error is an *Error with the code NotFound.
// The answer has up to 18 MB, for 45,000 entries. ShowEntries returns pages of the entries.
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

// ServerTime returns the time of the service's clock, to the second, for countdowns to a closing time. It adds the
// difference between the clocks, which the last access token showed, to this machine's time. Without a token, it is 0.
func (c *Client) ServerTime() time.Time {
	c.mu.Lock()
	known := c.ahead != nil
	c.mu.Unlock()
	if !known {
		_, _ = c.load(context.Background()) // without a session, the time is this machine's
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
