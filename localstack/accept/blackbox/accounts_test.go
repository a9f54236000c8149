package blackbox

import (
	"strings"
	"testing"
)

// TestAccount is the life of an account and its sessions. What each answer has in it, the functions' own tests hold.
func TestAccount(t *testing.T) {
	t.Parallel()
	p := candidate()
	p.email, p.ranch, p.password = "MiXed."+unique()+"+tag@Example.COM", "  Ranch ☃ \"of\" <b>\\ ", "  pass word  "
	registered := register(t, p.form()).object(t, 201)
	p.token, p.refresh = registered["token"].(string), registered["refreshToken"].(string)
	user := registered["user"].(object)
	p.id = user["id"].(string)
	if user["email"] != strings.ToLower(p.email) || user["goldBalance"] != integer(500) || len(herd(t, p.token)) != 3 {
		t.Errorf("registered %v", registered)
	}
	tokens := map[any]bool{p.token: true, p.refresh: true}
	for _, email := range []string{p.email, strings.ToUpper(p.email)} { // right after the registration, too
		p.email = email
		answer := p.login(t).object(t, 200)
		user := answer["user"].(object)
		if user["id"] != p.id || user["lastLoginAt"] == nil || user["ranch"].(object)["name"] != p.ranch {
			t.Errorf("logged in as %v", user)
		}
		tokens[answer["token"]], tokens[answer["refreshToken"]] = true, true
		for range 2 { // a refresh token stays good
			fresh := refresh(t, answer["refreshToken"]).object(t, 200)["token"].(string)
			tokens[fresh] = true
			if len(herd(t, fresh)) != 3 {
				t.Error("a fresh token shows other animals")
			}
		}
	}
	if len(tokens) != 10 {
		t.Errorf("of ten tokens only %d differ", len(tokens))
	}
	second := p.login(t).object(t, 200)["refreshToken"].(string)
	for range 2 { // once is as good as twice
		logout(t, object{"refreshToken": p.refresh})
		refresh(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	}
	for _, body := range []any{nil, "{", object{"refreshToken": second + "x"}, object{"refreshToken": list{second}}} {
		logout(t, body) // whatever is sent, the answer is the same
	}
	herd(t, p.token) // access tokens live until they expire
	refresh(t, second).object(t, 200)
	set(t, "user", "revoke-sessions", p.id)
	refresh(t, second).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	herd(t, p.token)
	p.has(t, 500)
}

// A banned caller is no authenticated one wherever something would change, and has no session. Reads live on until the
// token expires. The end of the ban revives access tokens alone.
func TestAccount_banned(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	open, completed := newShow(t, scene{fee: 5}), newShow(t, scene{tier: "rookie"})
	p.entered(t, open.id, p.buck)
	p.entered(t, completed.id, p.buck)
	p.judge(t, completed.id).object(t, 200)
	p.ban(t)
	refresh(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
	p.login(t).refuses(t, 403, "BANNED", "This account has been banned.")
	for _, r := range []request{p.entering(open.id, p.millie), p.judging(open.id), p.claiming(completed.id)} {
		send(t, r).unauthorized(t, true)
	}
	herd(t, p.token)
	get(t, p.token, "/events/shows").list(t)
	for _, path := range []string{"/events/shows/" + open.id, "/events/season"} {
		get(t, p.token, path).object(t, 200)
	}
	if me := get(t, p.token, "/me").object(t, 200); me["status"] != "banned" {
		t.Errorf("%v", me)
	}
	p.has(t, 495)
	p.unban(t)
	refresh(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	p.claim(t, completed.id).object(t, 200)
	p.entered(t, open.id, p.millie)
	p.judge(t, open.id).object(t, 200)
	p.has(t, 590)
	p.login(t).object(t, 200)
}

// Of simultaneous registrations of a name exactly one goes through, and the losers leave nothing behind.
func TestAccount_oneName(t *testing.T) {
	t.Parallel()
	for _, shared := range []string{"email", "username"} {
		common := candidate().form()[shared]
		forms, requests := make([]object, 20), make([]request, 20)
		for i := range forms {
			forms[i] = candidate().with(object{shared: common})
			requests[i] = request{method: "POST", path: "/auth/register", body: forms[i]}
		}
		answers := together(t, requests...)
		outcome(t, answers, map[int]int{201: 1, 409: 19})
		for i, answer := range answers {
			credentials := object{"email": forms[i]["email"], "password": forms[i]["password"]}
			if answer.status == 201 {
				user := login(t, credentials).object(t, 200)["user"].(object)
				if user["username"] != forms[i]["username"] || len(setList(t, "animal", "list", user["id"].(string))) != 3 {
					t.Errorf("%v", user)
				}
				(&player{id: user["id"].(string)}).has(t, 500)
			} else if i < 3 {
				login(t, credentials).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
				forms[i][shared] = candidate().form()[shared]
				register(t, forms[i]).object(t, 201) // the other name is free
			}
		}
	}
}
