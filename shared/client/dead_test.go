package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a network in memory, for the clock of a bubble. link is the caller's end of a connection. Once it is dead,
// it loses what is sent, as after a change of the network.
type (
	pipes struct {
		conns chan net.Conn
		open  context.Context
		close func()
	}
	link struct {
		net.Conn
		dead *atomic.Bool
	}
)

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { p.close(); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

func (l link) Write(b []byte) (int, error) {
	if l.dead.Load() {
		return len(b), nil
	}
	return l.Conn.Write(b)
}

// If all connections are dead, a read loses one attempt. An HTTP/2 connection is given up after eight seconds without a
// byte, before the attempt ends by itself.
func TestDeadConnections(t *testing.T) {
	t.Parallel()
	for protocol, most := range map[string]time.Duration{"HTTP/1.1": 10 * time.Second, "HTTP/2.0": 8 * time.Second} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network, dead := pipes{conns: make(chan net.Conn)}, new(atomic.Bool)
				network.open, network.close = context.WithCancel(t.Context())
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Second) // so that concurrent calls need several connections of HTTP/1.1
					if r.Proto != protocol {
						t.Errorf("the call uses %s", r.Proto)
					}
					_, _ = w.Write([]byte("[]"))
				}))
				server.Listener.Close()
				server.Listener, server.EnableHTTP2 = network, protocol == "HTTP/2.0"
				server.StartTLS()
				defer server.Close()
				pool := connections().(*http.Transport)
				defer pool.CloseIdleConnections()
				pool.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
				pool.DialContext = func(context.Context, string, string) (net.Conn, error) {
					mine, theirs := net.Pipe()
					network.conns <- theirs
					return link{mine, dead}, nil
				}
				session := Session{UserID: "u-1", Token: "e30.e30.c2ln", RefreshToken: "r-1", ReceivedAt: time.Now()}
				c := New(server.URL, Options{
					HTTP: &http.Client{Transport: pool}, Session: &session, Random: func() float64 { return 0 },
				})
				read := func() {
					if _, err := c.Shows(t.Context(), ShowFilter{}); err != nil {
						t.Error(err)
					}
				}
				var calls sync.WaitGroup
				for range 8 {
					calls.Go(read)
				}
				calls.Wait()
				dead.Store(true)
				dead = new(atomic.Bool)
				start := time.Now()
				read()
				if took := time.Since(start) - time.Second; took > most {
					t.Errorf("the read took %v longer than usual", took)
				}
			})
		})
	}
}
