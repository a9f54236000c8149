package blackbox

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A page has 50 shows, by closing time and then by id. It is large, and so it goes compressed to whoever takes that.
func TestShowsList_page(t *testing.T) {
	t.Parallel()
	tier, times := unique(), []string{"2200-01-01T00:00:00.001+01:00", "2200-01-01T00:00:00Z", "2199-12-31T23:59:59.999Z"}
	lines := []string{"name,tier,fee,closes-at"}
	for i := range 53 {
		lines = append(lines, fmt.Sprintf("%03d %s,%s,0,%s", i, strings.Repeat("n", 96), tier, times[i%len(times)]))
	}
	file := filepath.Join(t.TempDir(), "shows.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	made := setList(t, "show", "create", "-f", file, "--force")
	slices.SortFunc(made, func(a, b object) int {
		return cmp.Or(cmp.Compare(a["entryClosesAt"].(string), b["entryClosesAt"].(string)), cmp.Compare(a["id"].(string), b["id"].(string)))
	})
	var want []exhibit
	for _, show := range made[:50] {
		want = append(want, exhibit{id: show["id"].(string)})
	}
	plain := get(t, reader(t).token, "/events/shows?tier="+tier)
	ids(t, tier, plain.list(t), want...)

	zipped := send(t, request{method: "GET", path: plain.path, token: plain.token, header: http.Header{"Accept-Encoding": {"br, gzip"}}})
	r, err := gzip.NewReader(bytes.NewReader(zipped.body))
	if err != nil || zipped.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" {
		t.Fatalf("%v, %v: %v", zipped.header, plain.header, err)
	}
	if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) || len(zipped.body) >= len(body) {
		t.Errorf("%d bytes compressed, %d plain, %v", len(zipped.body), len(plain.body), err)
	}
}
