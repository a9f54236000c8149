package store_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// hangingUp closes every connection after its answer: an open connection, even if idle, stops a bubble's clock.
type hangingUp struct{ http.RoundTripper }

func (h hangingUp) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Close = true
	return h.RoundTripper.RoundTrip(r)
}

// inABubble returns the fair with a new store and wire for a bubble of synctest. The store has the time-outs of the
// functions, because a bubble's time costs nothing.
func (f fair) inABubble(t *testing.T) fair {
	wire := &storetest.Wire{}
	wire.Through(func(next http.RoundTripper) http.RoundTripper { return hangingUp{next} })
	client := storetest.Client(storetest.Endpoint(), wire)
	client.Options().HTTPClient.(*table.Line).Silence /= storetest.SlowMachine
	scene := *f.Scene
	scene.Table = &storetest.Table{Desk: operate.Open(store.New(client, f.Name, f.Clock.Now)), Name: f.Name, Client: client, Wire: wire, Clock: f.Clock}
	return fair{&scene}
}

// A patient read goes on while the table answers, even if it throttles: the call is late, and does not fail. Any other
// read ends one second after it was throttled, and after three seconds in any case. Every read ends after three seconds
// in which the table does not answer.
func TestPatienceOfReads(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0)
	stranger := f.AddPlayer(t, storetest.Bob)
	const patience, busy, long = 3 * time.Second, time.Second, 30 * time.Second
	for name, c := range map[string]struct {
		fault  storetest.Fault
		late   bool   // deciding operations are late instead of failing
		reason string // part of the error
	}{
		"throttled":      {storetest.Throttle, true, "ProvisionedThroughputExceededException"},
		"piece by piece": {storetest.Unprocessed, true, ""},
		"failing":        {storetest.Unavailable, false, "InternalServerError"},
		"silent":         {storetest.Hang, false, "the table is silent"},
		"gone":           {storetest.Refuse, false, "connection refused"},
		"behind a proxy": {proxied[0], false, `200 "<html>" with the type "text/html" is not an answer of AWS`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				in := f.inABubble(t)
				s, wire := in.Store, in.Wire
				// play runs do while the table has the fault, and returns how long do took.
				play := func(do func(ctx context.Context) error) (time.Duration, error) {
					start := time.Now()
					for range 1_000 {
						wire.Next("BatchGetItem", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
							if time.Since(start) < long {
								return c.fault(r, pass)
							}
							return pass.RoundTrip(r)
						})
					}
					defer wire.Forget()
					err := do(t.Context())
					return time.Since(start), err
				}
				took, err := play(func(ctx context.Context) error { return errOf(s.SeasonScore(ctx, f.Ann.ID, f.Season.ID)) })
				assert.True(t, (!c.late || errors.Is(err, game.ErrBusy) && took == busy) && (c.late || errors.Is(err, context.DeadlineExceeded) && took == patience),
					"a look: after %v, %v", took, err)
				assert.ErrorContains(t, err, c.reason)
				for what, do := range map[string]func(ctx context.Context) error{
					"a patient look": func(ctx context.Context) error {
						return errOf(s.SeasonScore(table.Patiently(ctx), f.Ann.ID, f.Season.ID))
					},
					"a refresh": func(ctx context.Context) error {
						_, _, err := s.RefreshRecord(ctx, stranger.Refresh.Digest, stranger.ID)
						return err
					},
				} {
					took, err = play(do)
					assert.True(t, c.late == (err == nil) && c.late == (took >= long) && (c.late || took == patience),
						"%s: after %v, %v", what, took, err)
				}
				for what, do := range map[string]func(ctx context.Context) error{
					"an entry": func(ctx context.Context) error {
						_, _, err := s.Enter(ctx, stranger.ID, f.Show.ID, stranger.Animals[0].ID, f.Now)
						return err
					},
					"a judging": func(ctx context.Context) error { _, err := s.Judge(ctx, stranger.ID, f.Show.ID, f.Now); return err },
					"a claim":   func(ctx context.Context) error { _, _, err := s.Claim(ctx, stranger.ID, f.Show.ID, f.Now); return err },
				} {
					took, err := play(do)
					// Each is refused in the end: the show is over, and the player was not in it.
					refusal := (*game.Refusal)(nil)
					switch {
					case c.late && (!errors.As(err, &refusal) || took < long):
						t.Errorf("%s: after %v, %v", what, took, err)
					case !c.late && (err == nil || !strings.Contains(err.Error(), "has failed for") || took != patience):
						t.Errorf("%s: after %v, %v", what, took, err)
					}
				}
			})
		})
	}
}

// link is a connection. Once it is dead, it loses what is sent, as after a freeze of the process.
type link struct {
	net.Conn
	dead, used atomic.Bool
}

func (l *link) Write(b []byte) (int, error) {
	if l.dead.Load() {
		l.used.Store(true)
		return len(b), nil
	}
	return l.Conn.Write(b)
}

// If all open connections are dead, a call loses one attempt of a second. It does not try the other connections.
func TestADeadPool(t *testing.T) {
	t.Parallel()
	f := openFair(50, 1)(t)
	for name, call := range map[string]func(s operate.Desk) error{
		"a read": func(s operate.Desk) error { return errOf(s.Account(t.Context(), f.Ann.ID)) },
		"a write": func(s operate.Desk) error {
			_, _, err := s.Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[0].ID, f.Now)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := f.Client.Options()
			options.APIOptions = nil
			client := dynamodb.New(options, table.ClientOptions)
			line := client.Options().HTTPClient.(*table.Line)
			pool := line.Transport.(*http.Transport)
			t.Cleanup(pool.CloseIdleConnections)
			var mu sync.Mutex
			var links []*link
			dial := pool.DialContext
			pool.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dial(ctx, network, address)
				mu.Lock()
				defer mu.Unlock()
				links = append(links, &link{Conn: c})
				return links[len(links)-1], err
			}
			s := store.New(client, f.Name, f.Clock.Now)
			line.Silence *= storetest.SlowMachine
			atOnce(t, 32, func(int) error { return errOf(s.Account(t.Context(), f.Ann.ID)) }, nil)
			line.Silence /= storetest.SlowMachine
			mu.Lock()
			dead, used := slices.Clone(links), 0
			mu.Unlock()
			for _, l := range dead {
				l.dead.Store(true)
			}
			checkError(t, call(operate.Open(s)), nil)
			for _, l := range dead {
				if l.used.Load() {
					used++
				}
			}
			assert.True(t, len(dead) >= 5 && used == 1, "the call used %d of %d dead connections", used, len(dead))
		})
	}
}
