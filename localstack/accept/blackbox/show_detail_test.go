package blackbox

import (
	"fmt"
	"strings"
	"testing"
)

// What names no show is a 404 of the endpoint, whatever the path has in its place; an id may be of any case, and
// escaped.
func TestShowDetail_unknown(t *testing.T) {
	t.Parallel()
	show, p := newShow(t, scene{}), reader(t)
	for _, id := range []string{newID(), "no-id", "%7B" + show.id + "%7D", show.id + "%00", "%FF%FE", strings.Repeat("a", 4_000)} {
		hostile.Add(4)
		path := "/events/shows/" + id
		get(t, p.token, path).refuses(t, 404, "NOT_FOUND", "")
		post(t, p.token, path+"/enter", object{"animalId": p.buck}).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
		post(t, p.token, path+"/judge", nil).refuses(t, 404, "NOT_FOUND", "Show not open")
		p.claim(t, id).refuses(t, 404, "NOT_FOUND", "")
	}
	want := object{"id": show.id, "name": show.name, "tier": show.tier, "entryClosesAt": show.closesAt, "status": "open", "entries": list{}}
	for _, id := range []string{strings.ToUpper(show.id), fmt.Sprintf("%%%02x", show.id[0]) + show.id[1:]} {
		get(t, p.token, "/events/shows/"+id+"?tier=x&id="+newID()).is(t, 200, want)
	}
}
