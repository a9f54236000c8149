package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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

// page returns the players and animals of the listed entries, and the queries of the links.
func page(t *testing.T, c *functiontest.Case, query string) (entries string, links map[string]string) {
	t.Helper()
	a := c.Do(t, c.Request.WithQuery(query))
	a.WantStatus(t, 200)
	var names []string
	for _, e := range a.List(t) {
		names = append(names, fmt.Sprint(e["playerUsername"], "'s ", e["animalName"]))
	}
	links = map[string]string{}
	for _, link := range strings.Split(a.Header["Link"], ", ") {
		if target, relation, is := strings.Cut(link, ">; "); is {
			links[relation] = strings.TrimPrefix(target, "</events/shows/"+string(c.Show.ID)+"/entries?")
		}
	}
	return strings.Join(names, ", "), links
}

// The parameters select pages, and pages have links to others. Package store tests the pages of shows of any size.
func TestPages(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Golden(t, "none", c.Request).Want(t, 200, "[]")
	c.MustEnter(t, c.Bob, c.Show, 0, 1)
	c.MustEnter(t, c.Ann, c.Show, 0, 1, 2)
	c.Golden(t, "open", c.Request).WantStatus(t, 200)
	entries, _ := page(t, c, "around=me&limit=1")
	assert.True(t, strings.HasPrefix(entries, "Ann"), "around Ann's entry there is %s", entries)
	c.AtTime(c.Now+7).MustJudge(t, c.Ann, c.Show)
	c.MustClaim(t, c.Bob, c.Show)
	c.Unchanged(t, func() { c.Golden(t, "completed", c.Request).WantStatus(t, 200) })
	all, links := page(t, c, "")
	storetest.Equal(t, "links of the only page", links, map[string]string{})
	list := strings.Split(all, ", ")
	storetest.Equal(t, "entries", len(list), 5)
	query := "limit=2"
	for _, want := range []string{strings.Join(list[:2], ", "), strings.Join(list[2:4], ", "), list[4]} {
		var entries string
		entries, links = page(t, c, query)
		storetest.Equal(t, query, entries, want)
		query = links[`rel="next"`]
	}
	storetest.Equal(t, "the query behind the last page", query, "")
	around, links := page(t, c, "around=me&limit=1")
	assert.True(t, strings.HasPrefix(around, "Ann"), "around Ann's entry there is %s", around)
	place := slices.Index(list, around)
	storetest.Equal(t, "there is a page before", links[`rel="prev"`] != "", place > 0)
	if place > 0 {
		entries, _ := page(t, c, links[`rel="prev"`])
		storetest.Equal(t, "the page before", entries, list[place-1])
	}
	c.Golden(t, "around", c.Request.WithQuery("around=me&limit=1")).WantStatus(t, 200)
	nothing, links := page(t, c, "after="+string(storetest.ID(1)))
	storetest.Equal(t, "behind no entry", []any{nothing, len(links)}, []any{"", 0})
}

func TestInvalidQueries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	id := string(storetest.ID(1))
	const together = "After, before and around cannot be combined."
	for query, want := range map[string][2]string{
		"limit=0": {"limit", "Must be a whole number from 1 to 100."}, "limit=101": {"limit", "Must be a whole number from 1 to 100."},
		"after=x": {"after", "Must be a UUID."}, "before=": {"before", "Must be a UUID."}, "around=you": {"around", `Must be "me".`}, "around": {"around", `Must be "me".`},
		"around=me&after=" + id: {"after", together}, "before=" + id + "&around=me": {"after", together}, "after=" + id + "&before=" + id: {"after", together},
	} {
		c.Do(t, c.Request.WithQuery(query)).Want(t, 400, fmt.Sprintf(`{"error":"VALIDATION_ERROR","message":"Invalid input","details":{%q:[%q]}}`, want[0], want[1]))
	}
	c.Do(t, c.Request.WithQuery("order=rank")).WantStatus(t, 400)
	c.Golden(t, "invalid", c.Request.WithQuery("after=last")).WantStatus(t, 400)
}

// A list that was begun before the judging goes on in its order: each entry comes once, and none has a score.
func TestAListAcrossAJudging(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Bob, c.Show, 0, 1)
	c.MustEnter(t, c.Ann, c.Show, 0, 1, 2)
	seen := map[string]bool{}
	for query := "limit=1"; query != ""; {
		entries, links := page(t, c, query)
		assert.False(t, seen[entries], "%s comes twice", entries)
		seen[entries], query = true, links[`rel="next"`]
		if len(seen) == 1 {
			c.MustJudge(t, c.Ann, c.Show)
		}
	}
	storetest.Equal(t, "entries", len(seen), 5)
	storetest.Equal(t, "score", c.Do(t, c.Request.WithQuery("order=entry")).List(t)[0]["score"], nil)
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	functiontest.Flaws(t, newCase, []functiontest.Flaw{
		{Name: "show-unknown", By: functiontest.Rules, Status: 404, Body: notFound, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", By: functiontest.Rules, Status: 404, Body: notFound, Make: functiontest.NoUUID},
		functiontest.NoCredentials(),
	})
}

// A banned player may read until the token expires. A deleted or unknown player gets a 401.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, "[]")
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).WantUnauthorized(t, true)
	c.Do(t, c.Request.WithQuery("limit=0")).WantUnauthorized(t, true)
	unknown := c.Request
	unknown.ID = "autumn"
	c.Do(t, unknown).WantUnauthorized(t, true)
	c.Do(t, functiontest.Request{ID: string(c.Show.ID), Token: c.Access(t, game.User{ID: storetest.ID(1)})}).WantUnauthorized(t, true)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET cl = :damaged", map[string]any{":damaged": "soon"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{ID: "no-show"}, 404, functiontest.Request{ID: string(c.Show.ID), Query: "limit=rubbish"})
}
