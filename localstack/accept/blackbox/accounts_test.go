package blackbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// TestAccount_banned checks that a banned caller gets a 401 for every change, and has no session. Reads work until the
// access token expires. After the end of the ban, only access tokens are valid again.
func TestAccount_banned(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	open, completed := newShow(t, game.Show{EntryFee: 5}), newShow(t, game.Show{Tier: game.TierRookie})
	p.enters(t, open.id, p.animals[0])
	p.enters(t, completed.id, p.animals[0])
	p.judges(t, completed.id, 1)
	p.operated(t, store.Operator.Ban)
	p.renew(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
	p.login(t).refuses(t, 403, "BANNED", "This account has been banned.")
	for _, r := range []request{p.entering(open.id, p.animals[2]), p.judging(open.id), p.claiming(completed.id)} {
		send(t, r).unauthorized(t)
	}
	for _, r := range reads(open.id) {
		if answer := p.get(t, r.path); answer.status != 200 {
			t.Error(answer)
		}
	}
	p.get(t, "/me").is(t, 200, object{"status": "banned"})
	p.has(t, 495)
	p.operated(t, store.Operator.Unban)
	p.renew(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	p.claims(t, completed.id, 1, 100)
	p.enters(t, open.id, p.animals[2])
	p.judges(t, open.id, 2)
	p.has(t, 590)
	p.login(t).object(t, 200)
}

// TestAuth checks that every route except those of accounts requires an access token in the header Authorization. A
// route accepts neither a token elsewhere nor a wrong token. Package httpapi tests all forms of wrong credentials.
func TestAuth(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, o := range contracted.Operations() {
		if o.Protected == strings.HasPrefix(o.Path, "/auth/") {
			t.Errorf("%s is behind authentication: %t", o.Route(), o.Protected)
		}
	}
	for _, o := range protected() {
		t.Run(o.ID, func(t *testing.T) {
			r := endpoint(o, newID())
			for _, token := range []string{"rubbish", p.refresh, p.token + "x", ""} {
				hostile.Add(1)
				r.token = token
				send(t, r).unauthorized(t)
			}
			r.header = http.Header{"Cookie": {"token=" + p.token}, "X-Authorization": {"Bearer " + p.token}}
			r.path += "?token=" + p.token + "&access_token=" + p.token
			send(t, r).unauthorized(t)
		})
	}
}
