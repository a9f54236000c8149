package blackbox

import (
	"net/http"
	"testing"
)

// Every route behind authentication is: it wants an access token in its header, and takes neither one from elsewhere
// nor what is none. All the shapes that credentials come in are package httpapi's to refuse.
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
