package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endless has spaces without end, and counts the bytes that were read.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return copy(b, bytes.Repeat([]byte(" "), len(b))), nil
}

// Send accepts an answer of 32 MB. Of a larger answer, it reads one byte more than 32 MB.
func TestTransport_largestAnswer(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]int{33_554_432: 33_554_432, 400_000_000: 33_554_433} {
		body := &endless{}
		answers := roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(io.LimitReader(body, size))}, nil
		})
		transport := Transport{API: "https://api.test", HTTP: &http.Client{Transport: answers}}
		answer, err := transport.Send(t.Context(), Request{Method: http.MethodGet, Path: "/"})
		assert.Equal(t, want, body.read)
		assert.True(t, (err == nil) == (size == int64(want)) && (err == nil) == (len(answer.Body) == want),
			"%d bytes: got %d, %v", size, len(answer.Body), err)
	}
}

// Plain decompresses an answer, and Read decodes it. Both fail if the body is not gzip, or exceeds 32 MB decompressed.
func TestAnswer_Plain(t *testing.T) {
	t.Parallel()
	answer := func(plain []byte) Answer {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(plain) // into memory
		_ = w.Close()
		return Answer{Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: b.Bytes()}
	}
	whole := answer([]byte("[1]"))
	var got []int
	assert.NoError(t, whole.Read(200, &got))
	assert.Equal(t, []int{1}, got)
	for name, body := range map[string][]byte{
		"cut off": whole.Body[:len(whole.Body)-9], "no gzip": []byte("[]"),
		"too large": answer(bytes.Repeat([]byte(" "), mostBytes+1)).Body,
	} {
		broken := Answer{Status: 200, Header: whole.Header, Body: body}
		_, err := broken.Plain()
		assert.Error(t, err, name)
		assert.Error(t, broken.Read(200, &got), name)
	}
}

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

// If all connections are dead, one request fails: at its time limit, or with HTTP/2 after eight seconds without a byte.
// The next request gets a new connection.
func TestDeadConnections(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string]time.Duration{"HTTP/1.1": 35 * time.Second, "HTTP/2.0": 8 * time.Second} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network, dead := pipes{conns: make(chan net.Conn)}, new(atomic.Bool)
				network.open, network.close = context.WithCancel(t.Context())
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Second) // so that concurrent calls need several connections of HTTP/1.1
					assert.Equal(t, protocol, r.Proto)
				}))
				server.Listener.Close()
				server.Listener, server.EnableHTTP2 = network, protocol == "HTTP/2.0"
				server.StartTLS()
				defer server.Close()
				pool := connections()
				defer pool.CloseIdleConnections()
				pool.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
				pool.DialContext = func(context.Context, string, string) (net.Conn, error) {
					mine, theirs := net.Pipe()
					network.conns <- theirs
					return link{mine, dead}, nil
				}
				transport := Transport{API: server.URL, HTTP: &http.Client{Transport: pool, Timeout: keepAlive().Timeout}}
				send := func() error {
					_, err := transport.Send(t.Context(), Request{Method: http.MethodGet, Path: "/"})
					return err
				}
				var calls sync.WaitGroup
				for range 8 {
					calls.Go(func() { assert.NoError(t, send()) })
				}
				calls.Wait()
				dead.Store(true)
				dead = new(atomic.Bool)
				start := time.Now()
				assert.Error(t, send())
				assert.Equal(t, want, time.Since(start))
				assert.NoError(t, send())
			})
		})
	}
}
