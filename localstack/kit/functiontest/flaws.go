package functiontest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// Check is a stage of an endpoint that can refuse a request.
type Check int

// These are the checks of a request, in the order in which an endpoint makes them. Packages game and store test the
// order of refusals by several rules.
const (
	Credentials Check = iota
	Body
	Rules
)

// Flaw is one possible flaw of a request, with the response that the flaw must cause.
type Flaw struct {
	Name   string // also of the golden file
	By     Check  // the check that finds the flaw; the earliest check decides the response
	Make   func(*testing.T, *Case)
	Status int
	Body   string
}

// NoCredentials returns the flaw of a request without an access token.
func NoCredentials() Flaw {
	return Flaw{"no-credentials", Credentials, func(_ *testing.T, c *Case) { c.Request.Token = "" }, 401, `{"error":"UNAUTHORIZED"}`}
}

// BannedOrDeleted returns the flaws of a caller who was banned or deleted, but whose access token is still valid.
func BannedOrDeleted() []Flaw {
	return []Flaw{
		{"caller-banned", Rules, func(t *testing.T, c *Case) { c.Ban(t, c.Ann.ID) }, 401, `{"error":"UNAUTHORIZED"}`},
		{"caller-deleted", Rules, func(t *testing.T, c *Case) { c.DeleteUser(t, c.Ann.ID) }, 401, `{"error":"UNAUTHORIZED"}`},
	}
}

// Flaws tests each flaw alone, and compares the response with the flaw's golden file. It also tests each pair of flaws
// of different checks: the flaw of the earlier check must decide the response. No request may change the table. The
// caller must list the flaws in an order in which Make can create one after the other.
func Flaws(t *testing.T, newCase func(*testing.T) *Case, flaws []Flaw) {
	for i, f := range flaws {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			c := newCase(t)
			f.Make(t, c)
			c.Unchanged(t, func() { f.check(t, c, c.Golden(t, f.Name, c.Request)) })
		})
		for _, g := range flaws[i+1:] {
			if f.By == g.By {
				continue
			}
			t.Run(f.Name+" and "+g.Name, func(t *testing.T) {
				t.Parallel()
				c := newCase(t)
				f.Make(t, c)
				g.Make(t, c)
				first := f
				if g.By < f.By {
					first = g
				}
				c.Unchanged(t, func() { first.check(t, c, c.Do(t, c.Request)) })
			})
		}
	}
}

func (f Flaw) check(t *testing.T, c *Case, a Answer) {
	t.Helper()
	if f.Status == 401 {
		a.WantUnauthorized(t, c.Request.Token != "")
		return
	}
	a.Want(t, f.Status, f.Body)
	challenge, ok := a.Header["WWW-Authenticate"]
	assert.False(t, ok, "challenge %q", challenge)
}

// NoUUID makes the request name its show by a text that is not a UUID.
func NoUUID(_ *testing.T, c *Case) { c.Request.ID = "county-fair" }

// ShowUnknown makes the request name a show that does not exist.
func ShowUnknown(_ *testing.T, c *Case) { c.Request.ID = string(storetest.ID(1)) }

// ShowCompleted makes Bob judge the show, so that it is completed.
func ShowCompleted(t *testing.T, c *Case) { c.MustJudge(t, c.Bob, c.Show) }

// ShowCancelled cancels the show.
func ShowCancelled(t *testing.T, c *Case) { c.MustCancel(t, c.Show) }

// ShowClosing moves the bench's time to the show's closing time, and replaces the request's token, which has expired.
func ShowClosing(t *testing.T, c *Case) {
	c.Bench = c.AtTime(c.Show.EntryClosesAt)
	if c.Request.Token != "" {
		c.Request.Token = c.Access(t, c.Ann.User)
	}
}
