package client_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

// occupied is a store whose lock another process holds.
type occupied struct {
	client.Store
	waited time.Duration
}

func (o *occupied) Lock(ctx context.Context) (unlock func(), err error) {
	start := time.Now()
	<-ctx.Done()
	o.waited = time.Since(start)
	return nil, ctx.Err()
}

// TestWaits checks how long the client waits for one attempt, and for the lock of another client. The numbers are
// literal, so that the test fails if a constant changes.
func TestWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age     time.Duration // of the session
		call    func(ctx context.Context, c *client.Client) error
		path    string
		attempt time.Duration
		lock    time.Duration
	}{
		"a registration": {0, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Register(ctx, client.Registration{}))
		}, "/auth/register", 10 * time.Second, 0},
		"a list": {0, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Shows(ctx, client.ShowFilter{}))
		}, "/events/shows", 10 * time.Second, 0},
		"an entry": {0, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Enter(ctx, "s-1", "a-1"))
		}, "/events/shows/s-1/enter", 10 * time.Second, 0},
		"a judging": {0, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Judge(ctx, "s-1"))
		}, "/events/shows/s-1/judge", 35 * time.Second, 0},
		"a claim": {0, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Claim(ctx, "s-1"))
		}, "/events/shows/s-1/claim-reward", 10 * time.Second, 0},
		"a refresh": {15 * time.Minute, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Animals(ctx))
		}, "/auth/refresh", 10 * time.Second, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var path string // of the first request, and how long it waited
				var attempt time.Duration
				silent := roundTripper(func(r *http.Request) (*http.Response, error) {
					start := time.Now()
					<-r.Context().Done()
					path, attempt = cmp.Or(path, r.URL.Path), cmp.Or(attempt, time.Since(start))
					return nil, r.Context().Err()
				})
				store := &occupied{Store: &client.MemoryStore{}}
				put(t, store, &client.Session{
					API: "https://api.test", UserID: "u-1", Token: "t-1", RefreshToken: "r-1", ReceivedAt: time.Now().Add(-c.age), Lifetime: 15 * time.Minute,
				})
				err := c.call(t.Context(), client.New("https://api.test", client.Options{HTTP: &http.Client{Transport: silent}, Store: store}))
				if err == nil || path != c.path || attempt != c.attempt || store.waited != c.lock {
					t.Errorf("%s lasts %v, after %v for the lock: want %s, %v and %v (%v)", path, attempt, store.waited, c.path, c.attempt, c.lock, err)
				}
			})
		})
	}
}

func errorOf[V any](_ V, err error) error { return err }

// An update of the file waits five seconds for another update. Lock tries every ten milliseconds to get a held lock.
func TestFileStore_waits(t *testing.T) {
	t.Parallel()
	file := client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")}
	synctest.Test(t, func(t *testing.T) {
		same := func(s *client.Session) *client.Session { return s }
		err := file.Update(t.Context(), func(s *client.Session) *client.Session {
			start := time.Now()
			if err := file.Update(t.Context(), same); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			return s
		})
		unlock, lockErr := file.Lock(t.Context())
		if err := errors.Join(err, lockErr); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(25*time.Millisecond, unlock)
		unlock, err = file.Lock(t.Context())
		if took := time.Since(start); err != nil || took != 30*time.Millisecond {
			t.Fatalf("%v after %v", err, took)
		}
		unlock()
	})
}

// endless is a body with left bytes that counts the bytes that were read.
type endless struct{ left, read int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	e.left, e.read = e.left-n, e.read+n
	return n, nil
}

func (e *endless) Close() error { return nil }

// Send accepts an answer of 32 MB. Of a larger answer, it reads one byte more than 32 MB.
func TestTransport_largestAnswer(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int]int{33_554_432: 33_554_432, 400_000_000: 33_554_433} {
		body := &endless{left: bytes}
		transport := client.Transport{API: "https://api.test", HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
		})}}
		answer, err := transport.Send(t.Context(), client.Request{Method: http.MethodGet, Path: "/"})
		if good := bytes == want; (err == nil) != good || body.read != want || good && len(answer.Body) != bytes {
			t.Errorf("%d bytes: read %d, got %d, %v", bytes, body.read, len(answer.Body), err)
		}
	}
}
