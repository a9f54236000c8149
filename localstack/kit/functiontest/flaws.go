package functiontest

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// Check is one of the consecutive checks of a request.
type Check int

// The checks in their order. Packages game and store test which of several refusals the rules give.
const (
	Credentials Check = iota
	Body
	Rules
)

// Flaw is one possible flaw of a request, and the answer to it.
type Flaw struct {
	Name   string // also of the golden file
	By     Check  // the check that finds it; the first flaw found is the answer
	Make   func(*testing.T, *Case)
	Status int
	Body   string
}

// NoCredentials is the first flaw of every protected endpoint.
func NoCredentials() Flaw {
	return Flaw{"no-credentials", Credentials, func(_ *testing.T, c *Case) { c.Request.Token = "" }, 401, `{"error":"UNAUTHORIZED"}`}
}

// BannedOrDeleted are the flaws of a caller who was banned or deleted, with a token that is still valid.
func BannedOrDeleted() []Flaw {
	return []Flaw{
		{"caller-banned", Rules, func(t *testing.T, c *Case) { c.Ban(t, c.Ann.ID) }, 401, `{"error":"UNAUTHORIZED"}`},
		{"caller-deleted", Rules, func(t *testing.T, c *Case) { c.DeleteUser(t, c.Ann.ID) }, 401, `{"error":"UNAUTHORIZED"}`},
	}
}

// Flaws checks each flaw alone, against its golden file, and each pair of flaws of different checks: the earlier check
// gives the answer. None of them changes anything. The flaws are in the order in which they can be made, one after the
// other, not in the order of their checks.
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
	if challenge, ok := a.Header["WWW-Authenticate"]; ok {
		t.Errorf("challenge %q", challenge)
	}
}

// NoUUID names a show by a text that is not a UUID.
func NoUUID(_ *testing.T, c *Case) { c.Request.ID = "county-fair" }

// ShowUnknown names a show that does not exist.
func ShowUnknown(_ *testing.T, c *Case) { c.Request.ID = string(storetest.ID(1)) }

// ShowCompleted lets Bob judge the show.
func ShowCompleted(t *testing.T, c *Case) { c.MustJudge(t, c.Bob, c.Show) }

// ShowCancelled cancels the show.
func ShowCancelled(t *testing.T, c *Case) { c.MustCancel(t, c.Show) }

// ShowClosing moves the bench's time to the show's closing time.
func ShowClosing(t *testing.T, c *Case) {
	c.Bench = c.AtTime(c.Show.EntryClosesAt)
	if c.Request.Token != "" {
		c.Request.Token = c.Access(t, c.Ann.User)
	}
}
