package blackbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// TestAccount is the life of an account and its sessions. The functions' own tests have what is in each answer.
func TestAccount(t *testing.T) {
	t.Parallel()
	p := candidate()
	p.email, p.ranch, p.password = "MiXed."+unique()+"+tag@Example.COM", "  Ranch ☃ \"of\" <b>\\ ", "  pass word  "
	must(t, p.register(t.Context()))
	p.has(t, 500)
	tokens := map[any]bool{p.token: true, p.refresh: true}
	shows := func(token any) {
		t.Helper()
		if animals := send(t, request{method: "GET", path: "/animals", token: token.(string)}).list(t); len(animals) != 3 || animals[0]["id"] == nil {
			t.Errorf("the token shows the animals %v", animals)
		}
	}
	for _, email := range []string{p.email, strings.ToUpper(p.email)} { // right after the registration, too
		p.email = email
		answer := p.login(t).object(t, 200)
		user := answer["user"].(object)
		if user["id"] != p.id || user["email"] != strings.ToLower(email) || user["lastLoginAt"] == nil || user["ranch"].(object)["name"] != p.ranch {
			t.Errorf("logged in as %v", user)
		}
		tokens[answer["token"]], tokens[answer["refreshToken"]] = true, true
		for range 2 { // a refresh token stays good
			fresh := p.renew(t, answer["refreshToken"]).object(t, 200)["token"]
			tokens[fresh] = true
			shows(fresh)
		}
	}
	if len(tokens) != 10 {
		t.Errorf("of ten tokens only %d differ", len(tokens))
	}
	second := p.login(t).object(t, 200)["refreshToken"].(string)
	for range 2 { // once is as good as twice
		p.logout(t, object{"refreshToken": p.refresh})
		p.renew(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	}
	for _, body := range []any{nil, "{", object{"refreshToken": second + "x"}, object{"refreshToken": list{second}}} {
		p.logout(t, body)
	}
	shows(p.token) // access tokens live until they expire
	p.renew(t, second).object(t, 200)
	p.operated(t, store.Operator.RevokeSessions)
	p.renew(t, second).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	shows(p.token)
}

// A banned caller is unauthorized wherever something would change, and has no session. Reads go on until the token
// expires. The end of the ban revives access tokens alone.
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

// Of simultaneous registrations of a name exactly one goes through, and the losers leave nothing behind.
func TestAccount_oneName(t *testing.T) {
	t.Parallel()
	for _, shared := range []string{"email", "username"} {
		common := candidate().form()[shared]
		players, requests := make([]*player, 10), make([]request, 10)
		for i := range players {
			players[i] = candidate()
			if shared == "email" {
				players[i].email = common.(string)
			} else {
				players[i].username = common.(string)
			}
			requests[i] = players[i].registering()
		}
		answers := together(t, requests...)
		outcome(t, answers, map[int]int{201: 1, 409: 9})
		for i, p := range players {
			if answers[i].status == 201 {
				user := p.account(t)
				if p.id = user["id"].(string); user["username"] != p.username || user["email"] != p.email {
					t.Errorf("%v", user)
				}
				p.has(t, 500)
				continue
			}
			p.login(t).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
			other := candidate() // whose own name is free again
			if shared == "email" {
				p.email = other.email
			} else {
				p.username = other.username
			}
			if i < 3 {
				must(t, p.register(t.Context()))
			}
		}
	}
}

// A deleted player cannot log in, refresh or change anything; the names are free, and the entries stay without a name.
func TestAccount_deleted(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	judged, open := newShow(t, game.Show{Tier: game.TierRookie, EntryFee: 30}), newShow(t, game.Show{})
	p.enters(t, judged.id, p.animals[0])
	rival.enters(t, judged.id, rival.animals[0])
	rival.judges(t, judged.id, 2)
	p.enters(t, open.id, p.animals[2])
	rows := p.ledger(t)

	_, err := suite.Operator().DeleteUser(t.Context(), game.ID(p.id))
	must(t, err)
	p.login(t).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
	p.renew(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
	for _, r := range []request{p.entering(open.id, p.animals[1]), p.judging(open.id), p.claiming(judged.id), p.reading("/me")} {
		send(t, r).unauthorized(t)
	}
	for _, path := range []string{"/animals", "/events/shows", "/events/season"} {
		// Access tokens live until they expire.
		if answer := p.get(t, path); answer.status != 200 {
			t.Error(answer)
		}
	}
	for _, show := range []string{judged.id, open.id} {
		for _, entry := range entries(t, show) {
			if want := map[any]string{p.id: "deleted player", rival.id: rival.username}[entry["playerId"]]; entry["playerUsername"] != want {
				t.Errorf("an entry of %v is under %v", entry["playerId"], entry["playerUsername"])
			}
		}
	}
	if left := p.ledger(t); len(left) != len(rows) {
		t.Errorf("the ledger has %d rows, and had %d", len(left), len(rows))
	}
	p.has(t, 470)

	again := &player{email: p.email, username: p.username, password: p.password, ranch: p.ranch}
	must(t, again.register(t.Context()))
	if again.id == p.id || again.account(t)["id"] != again.id {
		t.Errorf("%s is back as %s", p.id, again.id)
	}
	p.renew(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
}

// A cancelled show is in no list of open or completed shows, nobody enters, judges or claims, and every fee comes back.
func TestCancelledShow(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	show := newShow(t, game.Show{EntryFee: 30})
	p.enters(t, show.id, p.animals[:2]...)
	rival.enters(t, show.id, rival.animals[0])
	rival.operated(t, store.Operator.Ban)
	for range 2 { // the second time gives nothing back
		must(t, suite.Cancel(t.Context(), show.ID))
	}
	for query, want := range map[string]int{"": 0, "status=open": 0, "status=completed": 0, "status=": 1, "status=cancelled": 1} {
		if listed := listShows(t, "?"+query+"&tier="+show.Tier); len(listed) != want {
			t.Errorf("?%s: %v, want %d", query, listed, want)
		}
	}
	p.get(t, "/events/shows/"+show.id).is(t, 200, object{"status": "cancelled", "judgedAt": nil})
	if got := entries(t, show.id); len(got) != 3 {
		t.Errorf("%v", got)
	}
	send(t, p.entering(show.id, p.animals[2])).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	send(t, p.judging(show.id)).refuses(t, 404, "NOT_FOUND", "Show not open")
	send(t, p.claiming(show.id)).refuses(t, 404, "NOT_FOUND", "")
	p.has(t, 500)
	rival.has(t, 500)
	if row := rival.ledger(t)[2]; row.Category != game.CategoryRefund || row.Amount != 30 || *row.RefID != show.ID {
		t.Errorf("row %+v", row)
	}
}

// Every route but those of accounts is behind authentication: it wants an access token in its header, and takes neither
// one from elsewhere nor a bad one. Package httpapi has all the shapes of bad credentials.
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
