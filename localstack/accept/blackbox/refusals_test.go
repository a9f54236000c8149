package blackbox

import (
	"strings"
	"testing"
)

// TestRefusals_ofAccounts has every refusal of registering, logging in and refreshing once. Package game's tests have
// the limits, and the functions' tests all bodies that are invalid.
func TestRefusals_ofAccounts(t *testing.T) {
	t.Parallel()
	p, banned, external, loggedOut := newPlayer(t), newPlayer(t), newExternal(t), newPlayer(t)
	banned.ban(t)
	logout(t, object{"refreshToken": loggedOut.refresh})
	credentials := func(email, password any) object { return object{"email": email, "password": password} }
	for name, c := range map[string]struct {
		path          string
		body          any
		status        int
		code, message string
	}{
		"an address that is taken":  {"register", candidate().with(object{"email": strings.ToUpper(p.email)}), 409, "CONFLICT", "Email or username already taken"},
		"a username that is taken":  {"register", candidate().with(object{"username": external.username}), 409, "CONFLICT", "Email or username already taken"},
		"a log-in without password": {"login", object{"email": p.email}, 400, "VALIDATION_ERROR", "Invalid input"},
		"an unknown address":        {"login", credentials(candidate().email, p.password), 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"a wrong password":          {"login", credentials(p.email, p.password+"x"), 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"a banned player":           {"login", credentials(banned.email, "wrong"), 403, "BANNED", "This account has been banned."},
		"an external player":        {"login", credentials(external.email, "any password"), 401, "OAUTH_ACCOUNT", "Please use OAuth to login"},
		"no refresh token":          {"refresh", object{}, 400, "MISSING_TOKEN", "Refresh token required"},
		"no JSON":                   {"refresh", "{", 400, "MISSING_TOKEN", "Refresh token required"},
		"an access token":           {"refresh", object{"refreshToken": p.token}, 401, "INVALID_TOKEN", "Invalid refresh token"},
		"a number for a token":      {"refresh", object{"refreshToken": 7}, 401, "INVALID_TOKEN", "Invalid refresh token"},
		"a session that has ended":  {"refresh", object{"refreshToken": loggedOut.refresh}, 401, "INVALID_TOKEN", "Refresh token invalid or expired"},
		"the session of the banned": {"refresh", object{"refreshToken": banned.refresh}, 401, "UNAUTHORIZED", ""},
	} {
		t.Run(name, func(t *testing.T) { post(t, "", "/auth/"+c.path, c.body).refuses(t, c.status, c.code, c.message) })
	}
	for _, body := range []any{nil, "{", list{}, object{"email": nil, "username": 7, "password": "short", "ranchName": "ab"}} {
		register(t, body).refusesForm(t, "email", "username", "password", "ranchName")
	}
	register(t, p.with(object{"password": "short"})).refusesForm(t, "password") // a 400 comes before a 409
}

// TestRefusals_ofTheLoop has every refusal of entering, judging and claiming once. The tests of packages game and
// httpapi have their order.
func TestRefusals_ofTheLoop(t *testing.T) {
	t.Parallel()
	p, other := newPlayer(t), newPlayer(t)
	open, dear := newShow(t, scene{fee: 1}), newShow(t, scene{fee: 601})
	closed, completed := newShow(t, scene{closesIn: "-1s"}), newShow(t, scene{tier: "rookie"})
	p.entered(t, open.id, p.buck)
	p.entered(t, completed.id, p.buck)
	other.judge(t, completed.id).object(t, 200)
	p.claim(t, completed.id).is(t, 200, prizeClaimed(1, 100))
	p.change(t, p.millie, "--status", "pregnant")
	other.change(t, other.millie, "--stage", "calf")
	other.change(t, other.bessie, "--dead")
	const closedShow, noAnimal = "Show not found or entry closed", "Animal not found"
	for name, c := range map[string]struct {
		request
		status        int
		code, message string
	}{
		"an entry without animal":     {p.posting("/events/shows/"+open.id+"/enter", object{"animalId": "buck"}), 400, "VALIDATION_ERROR", ""},
		"an entry in no show":         {p.entering(newID(), p.bessie), 404, "NOT_FOUND", closedShow},
		"an entry in a judged show":   {p.entering(completed.id, p.bessie), 404, "NOT_FOUND", closedShow},
		"an entry in a closed show":   {p.entering(closed.id, p.bessie), 404, "NOT_FOUND", closedShow},
		"an entry of no animal":       {p.entering(open.id, newID()), 404, "NOT_FOUND", noAnimal},
		"an entry of another's":       {p.entering(open.id, other.buck), 404, "NOT_FOUND", noAnimal},
		"an entry of a dead animal":   {other.entering(open.id, other.bessie), 404, "NOT_FOUND", noAnimal},
		"an entry of a pregnant one":  {p.entering(open.id, p.millie), 400, "INVALID", "Pregnant animals cannot enter shows"},
		"an entry of a calf":          {other.entering(open.id, other.millie), 400, "INVALID", "Calves cannot enter shows"},
		"an entry for too much":       {p.entering(dear.id, p.bessie), 400, "INSUFFICIENT_GOLD", "Not enough gold: the entry fee is 601"},
		"a second entry":              {p.entering(open.id, p.buck), 409, "DUPLICATE", "Animal already entered"},
		"a judging of no show":        {p.judging(newID()), 404, "NOT_FOUND", "Show not open"},
		"a judging of a judged show":  {p.judging(completed.id), 404, "NOT_FOUND", "Show not open"},
		"a claim in no show":          {p.claiming(newID()), 404, "NOT_FOUND", ""},
		"a claim in an open show":     {p.claiming(open.id), 404, "NOT_FOUND", ""},
		"a claim without an entry":    {other.claiming(completed.id), 404, "NOT_FOUND", ""},
		"a second claim":              {p.claiming(completed.id), 400, "ALREADY_CLAIMED", ""},
		"a look at a show that isn't": {p.reading("/events/shows/" + newID()), 404, "NOT_FOUND", ""},
	} {
		t.Run(name, func(t *testing.T) { send(t, c.request).refuses(t, c.status, c.code, c.message) })
	}
	p.has(t, 599)
	other.has(t, 500)
	for _, show := range []exhibit{open, dear, closed} {
		if got := entries(t, show.id); len(got) != map[string]int{open.id: 1}[show.id] {
			t.Errorf("%s: %v", show.name, got)
		}
	}
	// The reason gone, the same request is granted.
	p.change(t, p.millie, "--status", "idle")
	p.entered(t, open.id, p.millie)
}
