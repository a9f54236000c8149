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

// Options are what a Client goes by; the zero value is right for a game.
type Options struct {
	HTTP     *http.Client   // follows no redirection, as a Transport's; nil: one that keeps connections
	Store    Store          // where the session is kept; nil: in memory. Clients that share a Store share a session
	Events   func(Event)    // is told what becomes of the session, in turn; nil: nobody is. It may call the client
	Trace    func(Exchange) // is told of each exchange, with its passwords and tokens; nil: nobody is
	Timeout  time.Duration  // of one attempt; 0: 10 s, and 35 s for a judging, which the gateway ends at 30 s
	Attempts int            // of one call at most; 0: 4
	// AllowHTTP sends passwords and tokens over http:// to other machines, too: anybody on the way can read them.
	AllowHTTP bool

	// For tests.
	Now    func() time.Time                                     // nil: time.Now
	Wait   func(ctx context.Context, delay time.Duration) error // between attempts; nil: sleeps
	Random func() float64                                       // of the jitter, from 0 to below 1; nil: rand.Float64
}

const (
	defaultTimeout  = 10 * time.Second
	judgingTimeout  = 35 * time.Second
	defaultAttempts = 4
)

// Client calls the API as one player. It may be used by many at once.
//
// Errors are an *Error for an answer other than yes, a *NetworkError where none came, an *UnknownOutcomeError where a
// change may have been made or not, a *SessionEndedError where a log-in is needed, and the context's own, wrapped,
// where that has ended.
type Client struct {
	options   Options
	transport Transport
	keeper    *keeper

	mu          sync.Mutex
	flight      *flight        // the refreshing under way
	begun       int            // how many log-ins and log-outs have begun, each of which abandons flights
	endedBy     string         // why the last session of this client ended, "" while there is one
	endedToken  string         // its refresh token
	unreachable bool           // as the last event said
	ahead       *time.Duration // of the last session seen
	row         []*notice      // events that are not told yet
	telling     bool           // somebody tells them
}

// keepAlive is what clients send with: one for all, so that they share connections.
var keepAlive = sync.OnceValue(func() *http.Client {
	connections := http.DefaultTransport
	if t, ok := connections.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 32
		connections = t
	}
	return &http.Client{Transport: connections}
})

// ErrHTTP is the error of each call of a client whose API is at another machine's http:// address. Nothing is sent.
var ErrHTTP = errors.New("client: the API's address begins with http://, so that anybody on the way could read the password or the token: " +
	"use https://, or set Options.AllowHTTP")

// isSafe reports whether nobody on the way to an API can read what is sent: it goes over TLS, or stays on this machine.
func isSafe(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "http" {
		return true // what is no address at all fails by itself
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// New makes a client of the API at a base URL. It sends nothing.
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

// Session returns whose session there is, and false where there is none. A session that was stored before is there from
// the start. The error is the Store's, which keeps no other call from being made: the client then goes on with what it
// knows, as long as it lives.
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

// Show returns a show with its entries.
func (c *Client) Show(ctx context.Context, id string) (ShowDetail, error) {
	return get[ShowDetail](ctx, c, showPath(id))
}

// Season returns the active season, nil where there is none.
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

// ServerTime is the service's clock as the last token showed it, to the second; this machine's where there was none.
// Countdowns go by it.
func (c *Client) ServerTime() time.Time {
	c.mu.Lock()
	known := c.ahead != nil
	c.mu.Unlock()
	if !known {
		_, _ = c.load(context.Background()) // what cannot be loaded shows nothing
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
