package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func newBench(t *testing.T) *functiontest.Bench {
	return functiontest.New(t, func(s *store.Store, k *token.Keys) httpapi.Endpoint { return endpoint(s, k) })
}

const unexpected = `{"error":"INTERNAL_ERROR"}`

var showShape = functiontest.Shape{
	"id": functiontest.UUID, "name": functiontest.Text, "tier": functiontest.Text, "entryFee": functiontest.Integer, "entryClosesAt": functiontest.Time,
	"judgedAt": functiontest.Null, "status": functiontest.Text, "seasonId": functiontest.UUID, "entryCount": functiontest.Integer,
}

// market is a bench with shows, and a request for them.
type market struct {
	*functiontest.Bench
	ann storetest.Player
	r   functiontest.Request
}

func newMarket(t *testing.T) market {
	b := newBench(t)
	b.AddSeason(t, functiontest.Autumn, functiontest.AsItIs)
	ann := b.Player(t, functiontest.Ann)
	return market{b, ann, functiontest.Request{Token: b.Access(t, ann.User)}}
}

// add creates a show of the tier that closes so many minutes from now, under the name of its number.
func (m market) add(t *testing.T, n int, tier string, minutes int) game.Show {
	t.Helper()
	return m.AddShow(t, n, func(s *game.Show) {
		s.Name, s.Tier, s.EntryClosesAt = fmt.Sprint(n), tier, m.Now.Add(time.Duration(minutes)*time.Minute)
	})
}

// list returns the names of the shows that a query lists.
func (m market) list(t *testing.T, query string) string {
	t.Helper()
	m.r.Query = query
	a := m.Do(t, m.r)
	a.WantStatus(t, 200)
	names := []string{}
	for _, show := range a.List(t) {
		names = append(names, fmt.Sprint(show["name"]))
	}
	return strings.Join(names, " ")
}

func TestShows(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "elite", 90)
	judged := m.add(t, 9002, "rookie", 30)
	open := m.add(t, 9003, "pro", -60) // past its closing time a show is open all the same
	m.EnterAll(t, m.ann, judged, 0, 1)
	m.AtTime(m.Now+7).MustJudge(t, m.ann, judged, m.Now+7)
	m.Unchanged(t, func() {
		for name, query := range map[string]string{"open": "", "all": "status=", "completed": "status=completed", "none": "tier=legend"} {
			m.r.Query = query
			m.Golden(t, name, m.r).WantStatus(t, 200)
		}
	})
	m.r.Query = "status="
	list := m.Do(t, m.r).List(t)
	showShape.Check(t, list[0])
	showShape.And(functiontest.Shape{"judgedAt": functiontest.Time}).Check(t, list[1])
	want := map[string]any{"id": string(open.ID), "name": "9003", "tier": "pro", "status": "open", "entryClosesAt": "2026-11-20T08:30:00.000Z"}
	for name, value := range want {
		if list[0][name] != value {
			t.Errorf("%s: %v, want %v", name, list[0][name], value)
		}
	}
	if list[1]["judgedAt"] != "2026-11-20T09:30:00.007Z" || fmt.Sprint(list[1]["entryCount"]) != "2" {
		t.Error(list[1])
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "rookie", 60)
	m.add(t, 9002, "pro", 50)
	m.add(t, 9003, "pro#2 %/+&=é", 40)
	m.add(t, 9004, "a b", 30)
	m.add(t, 9008, strings.Repeat("t", 64), 15)
	m.MustJudge(t, m.ann, m.add(t, 9005, "pro", 20), m.Now)
	m.MustJudge(t, m.ann, m.add(t, 9006, "rookie", 10), m.Now)
	const open, all = "9008 9004 9003 9002 9001", "9006 9008 9005 9004 9003 9002 9001"
	for query, want := range map[string]string{
		"":                                  open,
		"tier=":                             open,
		"tier":                              open,
		"status=open":                       open,
		"status=":                           all,
		"status":                            all,
		"status&tier":                       all,
		"&&status=&&":                       all,
		"status=completed":                  "9006 9005",
		"status=completed&tier=pro":         "9005",
		"tier=pro":                          "9002",
		"tier=pro&status=":                  "9005 9002",
		"tier=rookie&status=completed":      "9006",
		"tier=PRO":                          "",
		"tier=pro%20":                       "",
		"tier=+pro":                         "",
		"tier=pro%00":                       "",
		"tier=pr":                           "",
		"tier=%":                            "",
		"tier=%zz":                          "",
		"tier=pro%2":                        "",
		"tier=%ff":                          "",
		"tier=legend":                       "",
		"tier=all":                          "",
		"tier=" + strings.Repeat("t", 64):   "9008",
		"tier=" + strings.Repeat("t", 65):   "",
		"tier=" + strings.Repeat("t", 6500): "",
		"tier=a+b":                          "9004",
		"tier=a%20b":                        "9004",
		"tier=a%2Bb":                        "",
		"tier=p%72o":                        "9002",
		"t%69er=pro":                        "9002",
		"tier=pro#2":                        "",
		"tier=" + url.QueryEscape("pro#2 %/+&=é"): "9003",
		"status=Open":                  "",
		"status=closed":                "",
		"status=all":                   "",
		"status=open%23pro":            "",
		"status=open#pro":              "",
		"status=%20open":               "",
		"status=%6Fpen":                open,
		"status=%":                     "",
		"status=%zz":                   "",
		"status=null":                  "",
		"status=open,completed":        "",
		"Status=completed":             open, // names count to the letter
		"TIER=pro":                     open,
		"status[]=completed":           open,
		"page=2&limit=1":               open,
		"status=completed&status=open": "9006 9005",
		"status=&status=open":          all,
		"status=rubbish&status=open":   "",
		"tier=pro&tier=rookie":         "9002",
		"tier=&tier=pro":               open,
		"%zz&tier=pro":                 "9002",
		"tier=pro;status=completed":    "",
	} {
		if got := m.list(t, query); got != want {
			t.Errorf("?%.60s: %s, want %s", query, got, want)
		}
	}
}

// What no show can have is answered without asking storage.
func TestFiltersThatNothingCanMatch(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.Wire.Cut()
	for _, query := range []string{"status=rubbish", "status=rubbish&tier=pro", "status=%00", "tier=" + strings.Repeat("é", 33), "status=&tier=" + strings.Repeat("%2523", 65)} {
		m.r.Query = query
		m.Do(t, m.r).Want(t, 200, `[]`)
	}
}

// By closing time, then by id; 50 of those that match.
func TestOrderAndPage(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	var open, pro []string
	for i := range 55 { // all of them at one of eleven instants, a millisecond apart
		n := 9000 + (i*23)%55
		tier := []string{"pro", "rookie"}[n%2]
		m.AddShow(t, n, func(s *game.Show) {
			s.Name, s.Tier, s.EntryClosesAt = fmt.Sprint(n), tier, m.Now+game.Instant((n-9000)/5)
		})
	}
	for i := range 25 {
		m.add(t, 9100+i, "pro", 1+i)
	}
	for n := 9000; n < 9055; n++ {
		open = append(open, fmt.Sprint(n))
		if n%2 == 0 {
			pro = append(pro, fmt.Sprint(n))
		}
	}
	for i := range 25 {
		pro = append(pro, fmt.Sprint(9100+i))
	}
	for query, want := range map[string][]string{"": open[:50], "tier=pro": pro[:50], "status=&tier=pro": pro[:50], "tier=rookie": odd(open)} {
		if diff := cmp.Diff(want, strings.Fields(m.list(t, query))); diff != "" {
			t.Errorf("?%s: %s", query, diff)
		}
	}
	// Those that are completed leave their places to others.
	for _, n := range []int{9000, 9001, 9002} {
		m.MustJudge(t, m.ann, game.Show{ID: functiontest.ID(n)}, m.Now)
	}
	if diff := cmp.Diff(open[3:53], strings.Fields(m.list(t, ""))); diff != "" {
		t.Error(diff)
	}
}

func odd(names []string) []string {
	var some []string
	for i := 1; i < len(names); i += 2 {
		some = append(some, names[i])
	}
	return some
}

// The count is right at any time, of ranked and unranked entries.
func TestEntryCount(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	show := game.Show{
		ID: functiontest.ID(functiontest.Fair), Name: "Three Gates", Tier: "pro", EntryClosesAt: m.Now.Add(time.Hour), Status: game.ShowOpen,
		SeasonID: functiontest.ID(functiontest.Autumn),
	}
	if err := m.Rival.CreateShow(t.Context(), show, 3); err != nil {
		t.Fatal(err)
	}
	count := func(query string, want string) {
		t.Helper()
		m.r.Query = query
		if list := m.Do(t, m.r).List(t); len(list) != 1 || fmt.Sprint(list[0]["entryCount"]) != want {
			t.Errorf("%v, want %s", list, want)
		}
	}
	for i := range m.ann.Animals {
		for _, query := range []string{"", "status=", "tier=pro"} {
			count(query, fmt.Sprint(i))
		}
		m.EnterAll(t, m.ann, show, i)
	}
	if _, err := m.Rival.ChangeAnimal(t.Context(), m.ann.ID, m.ann.Animals[0].ID, store.AnimalChange{DropPhenotype: true}); err != nil {
		t.Fatal(err)
	}
	m.MustJudge(t, m.ann, show, m.Now)
	for _, query := range []string{"status=completed", "status=", "status=&tier=pro"} {
		count(query, "3")
	}
}

// Reads live on until the token expires.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "pro", 60)
	m.Ban(t, m.ann.ID)
	if got := m.list(t, ""); got != "9001" {
		t.Error(got)
	}
	m.DeleteUser(t, m.ann.ID)
	if got := m.list(t, ""); got != "9001" {
		t.Error(got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	show := m.add(t, 9001, "pro", 60)
	functiontest.Faults(t, m.Bench, m.r, 500, unexpected, endpoint(nil, functiontest.Keys()))
	m.Wire.Next("Query", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer)
	m.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
	if got := m.list(t, ""); got != "9001" {
		t.Error(got)
	}
	m.At("SHOW#"+string(show.ID)+"#0", "GATE").Edit(t, "SET n = :damaged", map[string]any{":damaged": "many"})
	m.Golden(t, "failed", m.r).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	functiontest.Protected(t, m.Bench, m.ann.User, functiontest.Request{}, 200, functiontest.Request{Query: "status=rubbish"})
	m.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "pro", 60)
	functiontest.Robust(t, m.Bench, m.r)
}
