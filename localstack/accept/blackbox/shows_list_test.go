package blackbox

import (
	"net/url"
	"slices"
	"testing"
)

// ids checks that a list holds the shows in that order.
func ids(t testing.TB, what string, got []object, want ...exhibit) {
	t.Helper()
	var gotten, wanted []any
	for _, o := range got {
		gotten = append(gotten, o["id"])
	}
	for _, e := range want {
		wanted = append(wanted, e.id)
	}
	if !slices.Equal(gotten, wanted) {
		t.Errorf("%s lists %v, not %v", what, gotten, wanted)
	}
}

// What is between the question mark and the function: absent and empty differ, escapes are undone, and of a parameter
// that is there twice the first counts. The rest of what queries say is package httpapi's to read, and the store's to
// find.
func TestShowsList_filters(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	tier := unique() + "#ü 😀"
	first := newShow(t, scene{tier: tier, closesIn: "1h"})
	closed := newShow(t, scene{tier: tier, closesIn: "-1h"}) // open all the same, until it is judged
	judged := newShow(t, scene{tier: tier, closesIn: "30m"})
	p.judge(t, judged.id).object(t, 200)
	open, all := []exhibit{closed, first}, []exhibit{closed, judged, first}
	for query, want := range map[string][]exhibit{
		"":                              open,
		"&status=open":                  open,
		"&status=completed":             {judged},
		"&%73tatus=compl%65ted":         {judged},
		"&status=":                      all,
		"&status":                       all,
		"&status=open&status=completed": open,
		"&status=OPEN":                  nil,
		"&status=%zz":                   nil,
		"&limit=1&page=2&offset=5":      open,
		"&tier=" + unique():             open,
	} {
		t.Run(query, func(t *testing.T) { ids(t, query, listShows(t, "?tier="+url.QueryEscape(tier)+query), want...) })
	}
	ids(t, "another tier", listShows(t, "?status=&tier="+unique()))
	if everything := listShows(t, "?tier=&status="); len(everything) < len(all) || len(everything) > 50 {
		t.Errorf("without a filter %d shows are listed", len(everything))
	}
}
