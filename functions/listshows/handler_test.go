package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const unexpected = `{"error":"INTERNAL_ERROR"}`

// market is a bench for tests of lists, and Ann's request for a list.
type market struct {
	*functiontest.Bench
	r functiontest.Request
}

func newMarket(t *testing.T) market {
	b := functiontest.New(t, endpoint)
	b.AddSeason(t)
	b.Ann = b.AddPlayer(t, storetest.Ann)
	return market{b, b.As(t, b.Ann.User)}
}

// add creates a show of the tier that closes in some minutes. Its id and its name are made from n.
func (m market) add(t *testing.T, n int, tier string, minutes int) game.Show {
	t.Helper()
	return m.addAt(t, n, tier, m.Now.Add(time.Duration(minutes)*time.Minute))
}

func (m market) addAt(t *testing.T, n int, tier string, closes game.Instant) game.Show {
	t.Helper()
	return m.AddShow(t, storetest.Tier(tier), func(d *storetest.ShowDraft) {
		d.ID, d.Name, d.EntryClosesAt = storetest.ID(n), fmt.Sprint(n), closes
	})
}

// list returns the names of the listed shows.
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
	m.add(t, 9003, "pro", -60) // a show stays open after its closing time
	m.MustEnter(t, m.Ann, judged, 0, 1)
	m.AtTime(m.Now+7).MustJudge(t, m.Ann, judged)
	m.Unchanged(t, func() {
		for name, query := range map[string]string{"open": "", "all": "status=", "completed": "status=completed", "none": "tier=legend"} {
			m.r.Query = query
			m.Golden(t, name, m.r).WantStatus(t, 200)
		}
	})
}

// TestFilters checks the parameters of a query, also if one is missing or empty. Package httpapi tests the reading of
// queries, and package store tests which shows a list has.
func TestFilters(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "rookie", 60)
	m.add(t, 9002, "pro", 50)
	m.add(t, 9003, "pro#2 %/+&=é", 40)
	m.add(t, 9004, strings.Repeat("t", 64), 30)
	m.MustJudge(t, m.Ann, m.add(t, 9005, "pro", 20))
	const open, all = "9004 9003 9002 9001", "9005 9004 9003 9002 9001"
	for query, want := range map[string]string{
		"":                                open,
		"tier=":                           open,
		"tier":                            open,
		"status=open":                     open,
		"status=":                         all,
		"status=completed":                "9005",
		"status=completed&tier=rookie":    "",
		"tier=pro":                        "9002",
		"tier=pro&status=":                "9005 9002",
		"tier=PRO":                        "",
		"tier=" + strings.Repeat("t", 64): "9004",
		"tier=" + strings.Repeat("t", 65): "",
		"tier=" + url.QueryEscape("pro#2 %/+&=é"): "9003",
		"status=Open":       "",
		"status=closed":     "",
		"status=open%23pro": "",
		"page=2&limit=1":    open,
	} {
		assert.Equal(t, want, m.list(t, query), "?%.60s", query)
	}
	for tier, asks := range map[int]bool{64: true, 65: false} { // longer tiers cannot exist, and cost nothing
		m.Wire.Reset()
		m.list(t, "tier="+strings.Repeat("u", tier))
		assert.Equal(t, asks, m.Wire.Cost().Requests > 0, "a tier of %d bytes asks the table", tier)
	}
}

// A cancelled show is only in the list of all shows and in the list of cancelled shows.
func TestCancelledShows(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.add(t, 9001, "rookie", 30)
	cancelled := m.add(t, 9002, "pro", 20)
	m.MustEnter(t, m.Ann, cancelled, 0, 1)
	m.MustJudge(t, m.Ann, m.add(t, 9003, "pro", 10))
	m.MustCancel(t, cancelled)
	for query, want := range map[string]string{"": "9001", "status=completed": "9003", "status=": "9003 9002 9001", "status=cancelled": "9002"} {
		storetest.Equal(t, query, m.list(t, query), want)
	}
	m.r.Query = "status=cancelled"
	m.Golden(t, "cancelled", m.r)
}

// A list of more than 50 shows has a link to a next page with the same filters.
func TestPages(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for i := range 51 {
		m.add(t, 9001+i, "pro", 60+i)
	}
	m.r.Query = "tier=pro&status=open"
	a := m.Do(t, m.r)
	last := fmt.Sprint(a.List(t)[49]["id"])
	storetest.Equal(t, "link", a.Header["Link"], "</events/shows?after="+last+`&status=open&tier=pro>; rel="next"`)
	m.r.Query = "after=" + fmt.Sprint(a.List(t)[0]["id"])
	a = m.Do(t, m.r)
	storetest.Equal(t, "the last 50 shows and their link", fmt.Sprint(len(a.List(t)), a.Header["Link"]), "50")
	storetest.Equal(t, "the next page", m.list(t, "after="+last+"&tier=pro"), "9051")
	m.r.Query = "after=" + last + "&tier=pro"
	m.Golden(t, "last-page", m.r).WantStatus(t, 200)
	m.r.Query = "after=last"
	m.Golden(t, "invalid", m.r).Want(t, 400, `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"after":["Must be a UUID."]}}`)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	show := m.add(t, 9001, "pro", 60)
	functiontest.Faults(t, m.Bench, m.r, 500, unexpected, endpoint(nil, functiontest.Keys()))
	m.Gate(t, show).Edit(t, "SET n = :damaged", map[string]any{":damaged": "many"})
	m.Golden(t, "failed", m.r).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	functiontest.Protected(t, m.Bench, m.Ann.User, functiontest.Request{}, 200, functiontest.Request{Query: "status=rubbish"})
	m.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
