package blackbox

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/racetest"
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

func TestShowsList_item(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{name: `Näme "of" <b> & 😀`, fee: 7})
	want := show.shown()
	want["entryCount"] = 0
	path := "/events/shows?tier=" + show.tier
	get(t, p.token, path).is(t, 200, list{want})
	for i, animal := range p.animals() { // the count is right at once
		p.entered(t, show.id, animal)
		want["entryCount"] = i + 1
		get(t, p.token, path).is(t, 200, list{want})
		p.enter(t, show.id, animal).refuses(t, 409, "DUPLICATE", "Animal already entered")
		get(t, p.token, path).is(t, 200, list{want})
	}
	p.change(t, p.buck, "--drop-phenotype")
	p.judge(t, show.id).object(t, 200)
	get(t, p.token, path).is(t, 200, list{})
	want["status"], want["judgedAt"] = "completed", anyTime // unranked entries count, too
	answer := get(t, p.token, path+"&status=completed")
	answer.is(t, 200, list{want})
	isNow(t, "judgedAt", answer.list(t)[0]["judgedAt"])
}

func TestShowsList_filters(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	tier, other := unique(), unique()
	first := newShow(t, scene{tier: tier, closesIn: "1h"})
	closed := newShow(t, scene{tier: tier, closesIn: "-1h"}) // open all the same, until it is judged
	judged := newShow(t, scene{tier: tier, closesIn: "30m"})
	apart := newShow(t, scene{tier: other})
	p.judge(t, judged.id).object(t, 200)
	open, all := []exhibit{closed, first}, []exhibit{closed, judged, first}
	for query, want := range map[string][]exhibit{
		"":                                   open,
		"&status=open":                       open,
		"&status=completed":                  {judged},
		"&status=":                           all,
		"&status":                            all,
		"&status=open&status=completed":      open,
		"&status=&status=open":               all,
		"&status&status=open":                all,
		"&Status=completed":                  open,
		"&STATUS=":                           open,
		"&status=%6fpen":                     open,
		"&%73tatus=completed":                {judged},
		"&tier=" + other:                     open,
		"&status=OPEN":                       nil,
		"&status=closed":                     nil,
		"&status=all":                        nil,
		"&status=open%20":                    nil,
		"&status=+open":                      nil,
		"&status=null":                       nil,
		"&status=open,completed":             nil,
		"&status[]=completed":                open,
		"&status=%zz":                        nil,
		"&status=%":                          nil,
		"&status=%00":                        nil,
		"&status=open%23" + tier:             nil,
		"&status=" + strings.Repeat("a", 99): nil,
		"&":                                  open,
		"&&&":                                open,
		"&=&=x":                              open,
		"&x=%zz&%zz=y":                       open,
		"&limit=1&page=2&offset=5":           open,
	} {
		t.Run(query, func(t *testing.T) { ids(t, query, listShows(t, "?tier="+tier+query), want...) })
	}
	ids(t, "other tier", listShows(t, "?tier="+other+"&tier="+tier), apart)
	ids(t, "status first", listShows(t, "?status=completed&tier="+tier), judged)
}

// Tiers are compared exactly, whatever is in them, and nothing in one reaches beyond it.
func TestShowsList_tiers(t *testing.T) {
	t.Parallel()
	base := unique()
	longest := base + strings.Repeat("é", (64-len(base))/2)
	shows := map[string]exhibit{}
	for _, tier := range []string{base, base + "#x", base + "&y=z", base + "+ %20", base + "Ünï😀", strings.ToUpper(base), longest, base + " ", "#" + base, base + "a"} {
		shows[tier] = newShow(t, scene{tier: tier})
	}
	for tier, want := range shows {
		ids(t, tier, listShows(t, "?tier="+url.QueryEscape(tier)), want)
		ids(t, tier, listShows(t, "?status=&tier="+url.QueryEscape(tier)), want)
	}
	for _, tier := range []string{
		base[:len(base)-1], base + "#", base + "%", base + "*", base + "_", " " + base, base + "\x00", "#", "%", "*", "\x00", "open", "open#" + base,
		"#" + base + "#", longest + "x", longest + "é", strings.Repeat("x", 65), strings.Repeat("x", 3_000), strings.Repeat("😀", 17), "null", "undefined",
		"BOARD#open", "' OR 1=1 --", "../" + base, base + "\xff", "\xff\xfe", "\ud7ff\ue000", "\u202e" + base, "{}", "[]", "$ne",
	} {
		hostile.Add(1)
		get(t, reader(t).token, "/events/shows?tier="+url.QueryEscape(tier)).is(t, 200, list{})
	}
	// The same, not escaped as it should be.
	for query, want := range map[string][]exhibit{
		"?tier=" + base + "%23x": {shows[base+"#x"]}, "?tier=" + base + "%2": nil, "?tier=" + base + "%zz": nil, "?tier=%": nil, "?tier=%c3%28": nil,
		"?tier=" + base + ";status=completed": nil, "?tier=" + base + "?status=": nil, "?tier[]=" + base + "&tier=" + base: {shows[base]},
		"?tier=" + base + "&tier=x": {shows[base]}, "?tier=" + base + "=": nil, "?tier==" + base: nil, "?tier=%ed%a0%80": nil,
	} {
		hostile.Add(1)
		ids(t, query, listShows(t, query), want...)
	}
}

// An absent tier and an empty one are no filter. A show that closes before all others is the first of any list that has
// it.
func TestShowsList_noTier(t *testing.T) {
	t.Parallel()
	show := newShow(t, scene{closesAt: "1970-01-01T00:00:00Z"})
	for query, listed := range map[string]bool{
		"": true, "?": true, "?tier": true, "?tier=": true, "?tier=&status=open": true, "?status=&tier=": true, "?status": true, "?tier=&tier=nobody's": true,
		"?status=completed": false, "?tier=nobody's&tier=": false,
	} {
		got := listShows(t, query)
		if found := slices.ContainsFunc(got, func(o object) bool { return o["id"] == show.id }); found != listed {
			t.Errorf("%q lists it: %t", query, found)
		}
		if sorted := slices.IsSortedFunc(got, byClosing); !sorted || len(got) > 50 {
			t.Errorf("%q lists %d, sorted: %t", query, len(got), sorted)
		}
	}
	reader(t).judge(t, show.id).object(t, 200) // it does not stay the first of everybody's list
}

func byClosing(a, b object) int {
	return cmp.Or(cmp.Compare(a["entryClosesAt"].(string), b["entryClosesAt"].(string)), cmp.Compare(a["id"].(string), b["id"].(string)))
}

// TestShowsList_page has more shows than a page holds, many of them with one closing time, and completes every fourth.
func TestShowsList_page(t *testing.T) {
	t.Parallel()
	const open, completed = 53, 52
	tier, times := unique(), []string{"2026-01-01T00:00:00Z", "2200-01-01T00:00:00.001+01:00", "2200-01-01T00:00:00Z", "2199-12-31T23:59:59.999Z"}
	shows := make([]exhibit, open+completed)
	judge := reader(t)
	racetest.AtOnce(4, func(worker int) {
		for i := worker; i < len(shows); i += 4 {
			name := fmt.Sprintf("%03d %s", i, strings.Repeat("n", 96))
			made, err := createShow(scene{name: name, tier: tier, closesAt: times[i%len(times)]})
			if err != nil {
				t.Error(err)
				continue
			}
			shows[i] = made
			if i < completed {
				if answer := try(t.Context(), judge.judging(made.id)); answer.status != 200 {
					t.Error(answer)
				}
			}
		}
	})
	if t.Failed() {
		return
	}
	ordered := func(some []exhibit) []exhibit {
		some = slices.Clone(some)
		slices.SortFunc(some, func(a, b exhibit) int { return cmp.Or(cmp.Compare(a.closesAt, b.closesAt), cmp.Compare(a.id, b.id)) })
		return some[:min(50, len(some))]
	}
	for query, want := range map[string][]exhibit{"": shows[completed:], "&status=completed": shows[:completed], "&status=": shows} {
		ids(t, query, listShows(t, "?tier="+tier+query), ordered(want)...)
	}
	t.Run("gzip", func(t *testing.T) { checkGzip(t, "/events/shows?status=&tier="+tier) })
}

// Crowds enter through several gates; the count is theirs together.
func TestShowsList_countOfGates(t *testing.T) {
	t.Parallel()
	show := newShow(t, scene{gates: 40, fee: 1})
	players := newPlayers(t, 3)
	for i, p := range players {
		p.entered(t, show.id, p.animals()...)
		if got := entryCount(t, show.tier); got != integer(3*i+3) {
			t.Errorf("after %d entries the count is %v", 3*i+3, got)
		}
		p.has(t, 497)
	}
	players[0].judge(t, show.id).object(t, 200)
	if got := entryCount(t, show.tier); got != integer(9) {
		t.Errorf("once judged, the count is %v", got)
	}
}
