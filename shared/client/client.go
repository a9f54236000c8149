package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// Options are what a Client goes by; the zero value is right for a game.
type Options struct {
	HTTP     *http.Client   // nil: one that keeps connections and has no time-out of its own
	Store    Store          // where the session is kept; nil: in memory. Clients that share a Store share a session
	Events   func(Event)    // is told what becomes of the session; nil: nobody is
	Trace    func(Exchange) // is told of each exchange; nil: nobody is
	Timeout  time.Duration  // of one attempt; 0: 10 s, and 35 s for a judging, which the gateway ends at 30 s
	Attempts int            // of one call at most; 0: 4

	// For tests.
	Now  func() time.Time                                     // nil: time.Now
	Wait func(ctx context.Context, delay time.Duration) error // between attempts; nil: sleeps
	Rand *rand.Rand                                           // of the jitter; nil: a random one
}

// Client calls the API as one player. It may be used by many at once.
type Client struct{}

// New makes a client of the API at a base URL. It sends nothing.
func New(api string, o Options) *Client { panic("not there yet") }

// Session returns whose session there is, and false where there is none. A session that was stored before is there from
// the start.
func (c *Client) Session(ctx context.Context) (Session, bool, error) { panic("not there yet") }

// Register makes a player, and logs in as that one.
func (c *Client) Register(ctx context.Context, r Registration) (User, error) { panic("not there yet") }

// Login logs in; the session before is forgotten, and not logged out.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	panic("not there yet")
}

// Logout ends the session here in any case, and in the service as far as it can be reached: an error says that it could
// not, and that the refresh token lives on there until it expires.
func (c *Client) Logout(ctx context.Context) error { panic("not there yet") }

// Animals returns the caller's animals.
func (c *Client) Animals(ctx context.Context) ([]Animal, error) { panic("not there yet") }

// ShowFilter says which shows are listed: of a tier, "" for all tiers; of a status, "" for open ones, AnyStatus for all.
type ShowFilter struct{ Tier, Status string }

// AnyStatus lists shows whatever their status.
const AnyStatus = "*"

// Shows returns up to 50 shows by closing time.
func (c *Client) Shows(ctx context.Context, f ShowFilter) ([]ListedShow, error) {
	panic("not there yet")
}

// Show returns a show with its entries.
func (c *Client) Show(ctx context.Context, id string) (ShowDetail, error) { panic("not there yet") }

// Enter enters an animal for the show's fee. It is repeated after a lost answer, and can charge once only.
func (c *Client) Enter(ctx context.Context, show, animal string) (Entered, error) {
	panic("not there yet")
}

// Judge judges a show.
func (c *Client) Judge(ctx context.Context, show string) (Judged, error) { panic("not there yet") }

// Claim claims the caller's prize. It is repeated after a lost answer, and is paid once only.
func (c *Client) Claim(ctx context.Context, show string) (Claimed, error) { panic("not there yet") }

// Season returns the active season, nil where there is none.
func (c *Client) Season(ctx context.Context) (*Season, error) { panic("not there yet") }

// ServerTime is the service's clock as the last token showed it, to the second; this machine's where there was none.
// Countdowns go by it.
func (c *Client) ServerTime() time.Time { panic("not there yet") }
