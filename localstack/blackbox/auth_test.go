package blackbox

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

func TestAuth_noCredentials(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, r := range protected() {
		t.Run(r.route(), func(t *testing.T) {
			for name, header := range map[string]http.Header{
				"none": nil, "empty": {"Authorization": {""}}, "Bearer": {"Authorization": {"Bearer"}}, "Bearer and spaces": {"Authorization": {"Bearer   "}},
				"Basic": {"Authorization": {"Basic dXNlcjpwYXNz"}}, "the token alone": {"Authorization": {p.token}},
				"another header": {"X-Authorization": {"Bearer " + p.token}, "Token": {p.token}}, "a cookie": {"Cookie": {"token=" + p.token + "; Authorization=Bearer " + p.token}},
				"no space": {"Authorization": {"Bearer" + p.token}}, "a colon": {"Authorization": {"Bearer:" + p.token}},
			} {
				hostile.Add(1)
				r.header = header
				if answer := send(t, r); answer.status != 401 {
					t.Errorf("%s: %s", name, answer)
				} else {
					answer.unauthorized(t, false)
				}
			}
			r.header, r.path = nil, r.path+"?token="+p.token+"&access_token="+p.token+"&authorization=Bearer%20"+p.token
			send(t, r).unauthorized(t, false)
		})
	}
}

func TestAuth_badTokens(t *testing.T) {
	t.Parallel()
	p := reader(t)
	bad, expired := forgeries(t, p.token)
	maps.Copy(bad, expired)
	bad["refresh token"] = p.refresh
	bad["token twice"] = p.token + " " + p.token
	bad["token and a comma"] = p.token + ","
	bad["in quotes"] = `"` + p.token + `"`
	for name, token := range bad {
		t.Run(name, func(t *testing.T) {
			for _, r := range protected() {
				hostile.Add(1)
				r.token = token
				send(t, r).unauthorized(t, true)
			}
		})
	}
}

func TestAuth_headers(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for name, header := range map[string]http.Header{
		"scheme in lower case": {"Authorization": {"bearer " + p.token}}, "scheme in upper case": {"Authorization": {"BEARER " + p.token}},
		"scheme in mixed case": {"Authorization": {"bEaReR " + p.token}}, "spaces between": {"Authorization": {"Bearer    " + p.token}},
		"spaces around": {"Authorization": {"  Bearer " + p.token + "   "}}, "name in lower case": {"authorization": {"Bearer " + p.token}},
		"name in upper case": {"AUTHORIZATION": {"Bearer " + p.token}},
	} {
		t.Run(name, func(t *testing.T) {
			if animals := send(t, request{method: "GET", path: "/animals", header: header}).list(t); len(animals) != 3 {
				t.Errorf("%d animals", len(animals))
			}
		})
	}
	// Several headers reach a function as one, joined by commas: that is no token.
	for name, values := range map[string][]string{
		"good twice": {"Bearer " + p.token, "Bearer " + p.token}, "good and bad": {"Bearer " + p.token, "Bearer x"}, "bad and good": {"Bearer x", "Bearer " + p.token},
		"Basic and good": {"Basic eDp5", "Bearer " + p.token},
	} {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			answer := send(t, request{method: "GET", path: "/animals", header: http.Header{"Authorization": values}})
			answer.refuses(t, 401, "UNAUTHORIZED", "")
		})
	}
	t.Run("huge", func(t *testing.T) {
		for _, size := range []int{7_000, 20_000, 200_000} {
			hostile.Add(1)
			answer := try(t.Context(), request{method: "GET", path: "/animals", header: http.Header{"Authorization": {"Bearer " + strings.Repeat("a", size)}}})
			if answer.err != nil {
				continue // the server has hung up on a client that talks too much
			}
			if answer.status < 400 || answer.status >= 500 {
				t.Errorf("%d bytes: %s", size, answer)
			}
		}
	})
}

// Authentication comes before the body and before the path's id.
func TestAuth_comesFirst(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/events/shows/" + newID() + "/enter", "/events/shows/no-id/enter"} {
		for _, body := range []any{"{", object{}, object{"animalId": 7}, strings.Repeat("x", 70_000)} {
			post(t, "", path, body).unauthorized(t, false)
			post(t, "x", path, body).unauthorized(t, true)
		}
	}
	for _, path := range []string{"/events/shows/no-id", "/events/shows?tier=" + strings.Repeat("x", 65)} {
		get(t, "", path).unauthorized(t, false)
	}
}

// The endpoints of accounts ask for no token, and care for none.
func TestAuth_openEndpoints(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for path, body := range map[string]object{
		"/auth/login": {"email": p.email, "password": p.password}, "/auth/refresh": {"refreshToken": p.refresh}, "/auth/logout": {},
	} {
		for _, token := range []string{"", "rubbish", p.token} {
			if answer := post(t, token, path, body); answer.status != 200 {
				t.Error(answer)
			}
		}
	}
	for _, token := range []string{"rubbish", p.refresh} {
		post(t, token, "/auth/register", candidate().form()).object(t, 201)
	}
}

// A banned caller is no authenticated one wherever something would change; reads live on until the token expires.
func TestAuth_banned(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	open, completed, fresh := newShow(t, scene{fee: 5}), newShow(t, scene{tier: "rookie"}), newShow(t, scene{})
	p.entered(t, open.id, p.buck)
	p.entered(t, completed.id, p.buck)
	p.judge(t, completed.id).object(t, 200)
	p.ban(t)

	for _, show := range []string{open.id, completed.id, fresh.id, newID(), "no-id", "%7B" + open.id + "%7D", strings.ToUpper(open.id)} {
		for _, animal := range []string{p.buck, p.millie, newID()} {
			p.enter(t, show, animal).unauthorized(t, true)
		}
		p.judge(t, show).unauthorized(t, true)
		p.claim(t, show).unauthorized(t, true)
		// The body's 400 comes before.
		post(t, p.token, "/events/shows/"+show+"/enter", object{}).refuses(t, 400, "VALIDATION_ERROR", "")
	}
	for _, path := range []string{"/animals", "/events/shows?tier=" + open.tier} {
		if got := get(t, p.token, path).list(t); len(got) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	for _, path := range []string{"/events/shows/" + open.id, "/events/season"} {
		get(t, p.token, path).object(t, 200)
	}
	get(t, p.token, "/events/shows/"+newID()).refuses(t, 404, "NOT_FOUND", "")
	p.has(t, 495)
	if got := entries(t, open.id); len(got) != 1 {
		t.Errorf("%d entries", len(got))
	}
	if got := detail(t, fresh.id); got["status"] != "open" {
		t.Errorf("%v", got)
	}

	p.unban(t)
	p.claim(t, completed.id).object(t, 200)
	p.entered(t, open.id, p.millie)
	p.judge(t, open.id).object(t, 200)
	p.has(t, 590)
}
