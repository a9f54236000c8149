package functiontest

import (
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

// Case is a valid request by the player Ann about the show of AddFair. Tests then change the request or the data.
type Case struct {
	*Bench
	Bob     storetest.Player
	Animal  game.Animal // of the request
	Request Request
}

// NewCase returns a case with an open show that costs 50 gold, which the request names, and with Ann's first animal.
func NewCase[Store, Tokens any](t testing.TB, endpoint func(Store, Tokens) httpapi.Endpoint) *Case {
	t.Helper()
	b := New(t, endpoint)
	b.AddFair(t)
	c := &Case{Bench: b, Bob: b.AddPlayer(t, storetest.Bob), Animal: b.Ann.Animals[0], Request: b.As(t, b.Ann.User)}
	c.Request.ID = string(b.Show.ID)
	return c
}

// BodiesAreIgnored checks that the endpoint ignores the body of a request. With any body, a valid request must get
// status 200 and the given response body.
func BodiesAreIgnored(t *testing.T, newCase func(*testing.T) *Case, body string) {
	for _, sent := range []string{"null", `{"email":"a@example.com"`, "{}" + strings.Repeat(" ", 65_535)} {
		c := newCase(t)
		c.Request.Body = sent
		c.Do(t, c.Request).Want(t, 200, body)
	}
}
