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

// Options configures a Client.
type Options struct {
	// HTTP sends the requests. The client never follows a redirect, whatever CheckRedirect says. If HTTP is nil, the
	// client uses an http.Client that all such clients share, and that keeps connections open.
	HTTP *http.Client
	// Trace receives each request with its answer, including passwords and tokens.
	Trace func(Exchange)
	// Timeout limits one attempt of a call. 0 means 10 s, or 35 s if the call judges a show.
	Timeout time.Duration
	// Attempts is the largest number of attempts of a call. 0 means 4.
	Attempts int
	// Session is the player's session at the beginning; nil for none.
	Session *Session
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
	turn      chan struct{} // has one element while a call refreshes the session

	mu      sync.Mutex
	session *Session // nil: the player must log in
	endedBy string   // why there is no session
}

// keepAlive returns the HTTP client of all Clients without one of their own, so that they share connections.
var keepAlive = sync.OnceValue(func() *http.Client { return &http.Client{Transport: connections()} })

// connections returns a transport for one API. It closes an HTTP/2 connection that has been silent for five seconds and
// does not answer a ping within three: all later calls would use the dead connection.
func connections() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 32
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 3 * time.Second}
	return t
}

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
	c := &Client{options: o, turn: make(chan struct{}, 1), endedBy: ReasonNone}
	c.transport = Transport{API: strings.TrimRight(api, "/"), HTTP: o.HTTP, Trace: o.Trace}
	if o.Session != nil {
		start := *o.Session
		c.session = &start
	}
	return c
}
