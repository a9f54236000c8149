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

const unexpected = `{"error":"INTERNAL_ERROR"}`

func newCase(t *testing.T) *functiontest.Case { return functiontest.NewCase(t, endpoint) }

// list returns the names of the animals whose entries a query lists, and the query of the next page, or "".
func list(t *testing.T, c *functiontest.Case, query string) (animals, next string) {
	t.Helper()
	a := c.Do(t, c.Request.WithQuery(query))
	a.WantStatus(t, 200)
	var names []string
	for _, e := range a.List(t) {
		names = append(names, fmt.Sprint(e["animalName"]))
	}
	next, _, _ = strings.Cut(strings.TrimPrefix(a.Header["Link"], "</me/entries?"), ">")
	return strings.Join(names, " "), next
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Golden(t, "none", c.Request).Want(t, 200, "[]")
	c.MustEnter(t, c.Ann, c.Show, 0)
	require.NoError(t, c.Operator().SetSeasonActive(t.Context(), c.Show.SeasonID, false))
	c.Do(t, c.Request).Want(t, 200, "[]")
	animals, _ := list(t, c, "season="+string(c.Show.SeasonID))
	storetest.Equal(t, "entries of a season that is over", animals, c.Ann.Animals[0].Name)
}

func TestEntries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustEnter(t, c.Bob, c.Show, 1)
	c.Golden(t, "open", c.Request).Want(t, 200, `[{"id":"`+string(game.EntryID(c.Show.ID, c.Ann.Animals[0].ID))+`","showId":"`+string(c.Show.ID)+
		`","showName":"County Fair","tier":"rookie","entryFee":50,"entryClosesAt":"2026-11-20T10:30:00.000Z","showStatus":"open","judgedAt":null,"animalId":"`+
		string(c.Ann.Animals[0].ID)+`","animalName":"Buck","score":null,"rank":null,"goldReward":null,"rewardClaimed":false,"createdAt":"2026-11-20T09:30:00.000Z","seasonId":"`+string(c.Show.SeasonID)+`"}]`)
	c.MustEnter(t, c.Ann, c.Show, 1) // an animal with the same mark in the results: only the pages distinguish the two
	c.AtTime(c.Now+7).MustJudge(t, c.Bob, c.Show)
	c.MustClaim(t, c.Ann, c.Show)
	c.Unchanged(t, func() { c.Golden(t, "claimed", c.Request).WantStatus(t, 200) })
}

// Each page but the last has a link to the next page, with the same filter.
func TestPages(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	for i := range 3 {
		c.AtTime(c.Now+game.Instant(i)).MustEnter(t, c.Ann, c.Show, i)
	}
	names := []string{c.Ann.Animals[2].Name, c.Ann.Animals[1].Name, c.Ann.Animals[0].Name}
	for _, of := range []string{"limit=1", "limit=1&season=" + string(c.Show.SeasonID), "limit=1&season=all", "limit=1&show=" + string(c.Show.ID)} {
		next := of
		for i, name := range names {
			var animals string
			animals, next = list(t, c, next)
			storetest.Equal(t, of, animals, name)
			storetest.Equal(t, "there is a next page with the filter", strings.HasSuffix(next, "&"+of), i < 2)
		}
	}
	c.Golden(t, "page", c.Request.WithQuery("limit=2")).WantStatus(t, 200)
	for query, want := range map[string]string{"": strings.Join(names, " "), "limit=3": strings.Join(names, " "), "limit=50": strings.Join(names, " "), "after=" + string(storetest.ID(1)): "", "show=" + string(storetest.ID(1)): ""} {
		animals, next := list(t, c, query)
		storetest.Equal(t, query, []string{animals, next}, []string{want, ""})
	}
}

// Unclaimed prizes are found when the season is over. Pages of them may be empty, and still have a next page.
func TestUnclaimedPrizes(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0, 1, 2)
	c.MustEnter(t, c.Ann, c.AddShow(t), 0)
	c.MustJudge(t, c.Bob, c.Show)
	require.NoError(t, c.Operator().SetSeasonActive(t.Context(), c.Show.SeasonID, false))
	names := func(query string) (all []string) {
		t.Helper()
		for query != "" {
			var animals string
			animals, query = list(t, c, query)
			all = append(all, strings.Fields(animals)...)
		}
		return all
	}
	const limited = "limit=1&unclaimed="
	best := []string{c.Ann.Animals[0].Name}
	storetest.Equal(t, "entries of all seasons", len(names("season=all&unclaimed=false")), 4)
	storetest.Equal(t, "entries of no season", names(limited+"false"), nil)
	for _, query := range []string{limited + "true", limited + "true&season=" + string(c.Show.SeasonID), limited + "true&show=" + string(c.Show.ID)} {
		storetest.Equal(t, query, names(query), best)
	}
	c.Golden(t, "unclaimed", c.Request.WithQuery("limit=3&unclaimed=true")).WantStatus(t, 200)
	c.MustClaim(t, c.Ann, c.Show)
	storetest.Equal(t, "prizes after the claim", names(limited+"true"), nil)
}

func TestInvalidQueries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	id := string(storetest.ID(1))
	refused := func(parameter, sentence string) string {
		return fmt.Sprintf(`{"error":"VALIDATION_ERROR","message":"Invalid input","details":{%q:[%q]}}`, parameter, sentence)
	}
	const number, uuid, truth = "Must be a whole number from 1 to 50.", "Must be a UUID.", `Must be "true" or "false".`
	for query, want := range map[string]string{
		"limit=0": refused("limit", number), "limit=51": refused("limit", number), "limit=": refused("limit", number), "limit=1e1": refused("limit", number),
		"after=x": refused("after", uuid), "after": refused("after", uuid), "season=autumn": refused("season", uuid), "show=": refused("show", uuid),
		"season=" + id + "&show=" + id: refused("show", "Cannot be combined with season."), "season=all&show=" + id: refused("show", "Cannot be combined with season."),
		"unclaimed=": refused("unclaimed", truth), "unclaimed=yes": refused("unclaimed", truth), "season=ALL": refused("season", uuid),
		"from=" + id: refused("from", "Only for a list of all seasons."), "from=x&season=all": refused("from", uuid),
	} {
		c.Do(t, c.Request.WithQuery(query)).Want(t, 400, want)
	}
	c.Golden(t, "invalid", c.Request.WithQuery("after=last")).WantStatus(t, 400)
}

// A banned player may read until the token expires. A deleted or unknown player gets a 401.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).WantStatus(t, 200)
	c.DeleteUser(t, c.Ann.ID)
	stranger := functiontest.Request{Token: c.Access(t, game.User{ID: storetest.ID(1)})}
	for _, r := range []functiontest.Request{c.Request, stranger} {
		for _, r.Query = range []string{"", "season=" + string(c.Show.SeasonID), "show=" + string(c.Show.ID), "unclaimed=true", "limit=0"} {
			c.Do(t, r).WantUnauthorized(t, true)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET cl = :damaged", map[string]any{":damaged": "soon"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{}, 200, functiontest.Request{Query: "limit=rubbish"})
	c.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
