package blackbox

import (
	"net/http"
	"testing"
)

// Every route behind authentication is: it wants an access token in its header, and takes neither one from elsewhere
// nor what is none. All the shapes that credentials come in are the functions' to refuse (functiontest.Protected).
func TestAuth(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, r := range protected() {
		t.Run(r.operation().ID, func(t *testing.T) {
			for _, token := range []string{"rubbish", p.refresh, p.token + "x"} {
				hostile.Add(1)
				r.token = token
				send(t, r).unauthorized(t, true)
			}
			r.token = ""
			send(t, r).unauthorized(t, false)
			r.header = http.Header{"Cookie": {"token=" + p.token}, "X-Authorization": {"Bearer " + p.token}}
			r.path += "?token=" + p.token + "&access_token=" + p.token
			send(t, r).unauthorized(t, false)
		})
	}
}

// Several headers reach a function as one, joined by commas: that is no token, even where each of them has a good one.
func TestAuth_severalHeaders(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, values := range [][]string{{"Bearer " + p.token, "Bearer " + p.token}, {"Basic eDp5", "Bearer " + p.token}} {
		hostile.Add(1)
		answer := send(t, request{method: "GET", path: "/animals", header: http.Header{"Authorization": values}})
		answer.refuses(t, 401, "UNAUTHORIZED", "")
	}
}

// A banned caller is no authenticated one wherever something would change; reads live on until the token expires.
func TestAuth_banned(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	open, completed := newShow(t, scene{fee: 5}), newShow(t, scene{tier: "rookie"})
	p.entered(t, open.id, p.buck)
	p.entered(t, completed.id, p.buck)
	p.judge(t, completed.id).object(t, 200)
	p.ban(t)
	p.enter(t, open.id, p.millie).unauthorized(t, true)
	p.judge(t, open.id).unauthorized(t, true)
	p.claim(t, completed.id).unauthorized(t, true)
	// The body comes before.
	post(t, p.token, "/events/shows/"+open.id+"/enter", object{}).refuses(t, 400, "VALIDATION_ERROR", "")
	for _, r := range reads(open.id) {
		if answer := get(t, p.token, r.path); answer.status != 200 {
			t.Error(answer)
		}
	}
	p.has(t, 495)
	if got := detail(t, open.id); got["status"] != "open" || len(got["entries"].(list)) != 1 {
		t.Errorf("%v", got)
	}
	p.unban(t)
	p.claim(t, completed.id).object(t, 200)
	p.entered(t, open.id, p.millie)
	p.judge(t, open.id).object(t, 200)
	p.has(t, 590)
}
