package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	notFound   = `{"error":"NOT_FOUND"}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

func newCase(t *testing.T) *functiontest.Case { return functiontest.NewCase(t, endpoint) }

// folded returns a case in which Bob has won a show before Ann and Cid, and the standings have it.
func folded(t *testing.T) *functiontest.Case {
	t.Helper()
	c := newCase(t)
	c.MustEnter(t, c.Bob, c.Show, 0)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustEnter(t, c.AddPlayer(t, storetest.Cid, 10_00), c.Show, 0)
	c.MustJudge(t, c.Ann, c.Show)
	c.MustFold(t)
	return c
}

func TestNoStandings(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	season := string(c.Show.SeasonID)
	none := `{"seasonId":"` + season + `","asOf":null,"players":0,"me":null,"standings":[]}`
	c.Golden(t, "not-judged", c.Request).Want(t, 200, none)
	require.NoError(t, c.Operator().SetSeasonActive(t.Context(), c.Show.SeasonID, false))
	c.Golden(t, "no-season", c.Request).Want(t, 200, `{"seasonId":null,"asOf":null,"players":0,"me":null,"standings":[]}`)
	c.Do(t, c.Request.WithQuery("season="+season)).Want(t, 200, none)
	c.Golden(t, "season-unknown", c.Request.WithQuery("season="+string(storetest.ID(1)))).Want(t, 404, notFound)
}

// page returns the usernames and ranks of a page, and the queries of its links.
func page(t *testing.T, c *functiontest.Case, query string) (rows string, links map[string]string) {
	t.Helper()
	a := c.Do(t, c.Request.WithQuery(query))
	a.WantStatus(t, 200)
	var names []string
	for _, row := range functiontest.In[[]any](t, a.Object(t), "standings") {
		row := row.(map[string]any)
		names = append(names, fmt.Sprint(row["playerUsername"], " ", row["rank"]))
	}
	links = map[string]string{}
	for _, link := range strings.Split(a.Header["Link"], ", ") {
		if target, relation, is := strings.Cut(link, ">; "); is {
			links[relation] = strings.TrimPrefix(target, "</events/season/standings?")
		}
	}
	return strings.Join(names, ", "), links
}

// The parameters select pages, and pages have links to others, of the same season. Package store tests the pages of
// standings of any size.
func TestPages(t *testing.T) {
	t.Parallel()
	c := folded(t)
	c.Unchanged(t, func() { c.Golden(t, "standings", c.Request).WantStatus(t, 200) })
	all, links := page(t, c, "season="+string(c.Show.SeasonID))
	storetest.Equal(t, "links of the only page", links, map[string]string{})
	list := strings.Split(all, ", ")
	storetest.Equal(t, "the first row, of three", []any{list[0], len(list)}, []any{c.Bob.Username + " 1", 3})
	around, links := page(t, c, "around=me&limit=1")
	storetest.Equal(t, "around Ann", around, list[1])
	c.Golden(t, "around", c.Request.WithQuery("around=me&limit=1")).WantStatus(t, 200)
	require.NoError(t, c.Operator().SetSeasonActive(t.Context(), c.Show.SeasonID, false))
	for relation, want := range map[string]string{`rel="prev"`: list[0], `rel="next"`: list[2]} {
		rows, further := page(t, c, links[relation])
		storetest.Equal(t, relation, rows, want)
		storetest.Equal(t, "links of the page "+relation, len(further), map[string]int{`rel="prev"`: 1, `rel="next"`: 0}[relation])
	}
	nobody, links := page(t, c, "season="+string(c.Show.SeasonID)+"&after="+string(storetest.ID(1)))
	storetest.Equal(t, "behind nobody", []any{nobody, len(links)}, []any{"", 0})
}

func TestInvalidQueries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	id := string(storetest.ID(1))
	const together = "After, before and around cannot be combined."
	for query, want := range map[string][2]string{
		"limit=0": {"limit", "Must be a whole number from 1 to 100."}, "limit=101": {"limit", "Must be a whole number from 1 to 100."},
		"season=autumn": {"season", "Must be a UUID."}, "after=x": {"after", "Must be a UUID."}, "around=you": {"around", `Must be "me".`},
		"around=me&after=" + id: {"after", together},
	} {
		c.Do(t, c.Request.WithQuery(query)).Want(t, 400, fmt.Sprintf(`{"error":"VALIDATION_ERROR","message":"Invalid input","details":{%q:[%q]}}`, want[0], want[1]))
	}
	c.Golden(t, "invalid", c.Request.WithQuery("after=last")).WantStatus(t, 400)
}

// A banned player may read until the token expires. A deleted or unknown player gets a 401.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).WantStatus(t, 200)
	c.DeleteUser(t, c.Ann.ID)
	stranger := functiontest.Request{Token: c.Access(t, game.User{ID: storetest.ID(1)})}
	for _, r := range []functiontest.Request{c.Request, stranger} {
		for _, r.Query = range []string{"", "season=" + string(storetest.ID(1)), "limit=0"} {
			c.Do(t, r).WantUnauthorized(t, true)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := folded(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("STANDINGS", "SEASON#"+string(c.Show.SeasonID)).Edit(t, "SET ao = :damaged", map[string]any{":damaged": "soon"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{}, 200, functiontest.Request{Query: "limit=rubbish"})
	c.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
