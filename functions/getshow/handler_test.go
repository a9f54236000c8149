package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/operate"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

func newCase(t *testing.T) *functiontest.Case { return functiontest.NewCase(t, endpoint) }

const (
	notFound   = `{"error":"NOT_FOUND"}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

// entries returns the entries of an answer.
func entries(t *testing.T, a functiontest.Answer) []map[string]any {
	t.Helper()
	a.WantStatus(t, 200)
	return functiontest.Objects(t, functiontest.In[[]any](t, a.Object(t), "entries"))
}

// members returns some members of each entry, as texts.
func members(entries []map[string]any, names ...string) []string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		values := make([]string, len(names))
		for j, name := range names {
			values[j] = fmt.Sprint(e[name])
		}
		texts[i] = strings.Join(values, " ")
	}
	return texts
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Golden(t, "no-entries", c.Request).Want(t, 200, `{"id":"`+string(c.Show.ID)+`","name":"County Fair","tier":"rookie","entryFee":50,`+
		`"entryClosesAt":"2026-11-20T10:30:00.000Z","judgedAt":null,"status":"open","seasonId":"`+string(c.Show.SeasonID)+`","entries":[]}`)
}

func TestOpenShow(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.AtTime(c.Now+9).MustEnter(t, c.Bob, c.Show, 1) // the list has the order of these times, not of the writes
	c.AtTime(c.Now+7).MustEnter(t, c.Ann, c.Show, 2)
	c.AtTime(c.Now+8).MustEnter(t, c.Bob, c.Show, 0)
	c.Unchanged(t, func() {
		list := entries(t, c.Golden(t, "open", c.Request))
		want := []string{"Ann Millie Holstein false", "Bob Buck Angus false", "Bob Bessie Angus false"}
		storetest.Equal(t, "entries", members(list, "playerUsername", "animalName", "breed", "rewardClaimed"), want)
	})
}

// Ranked entries are in the order of ranks. The unranked follow in the order of their times. All of a player's entries
// show the claim.
func TestCompletedShow(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Bob, c.Show, 2, 1)
	for _, i := range []int{1, 2} {
		c.MustChange(t, c.Bob, i, operate.AnimalChange{DropPhenotype: true})
	}
	c.MustEnter(t, c.Ann, c.Show, 2, 0, 1)
	c.AtTime(c.Now+7).MustJudge(t, c.Ann, c.Show)
	c.MustClaim(t, c.Ann, c.Show)
	c.Unchanged(t, func() {
		list := entries(t, c.Golden(t, "completed", c.Request))
		want := []string{"1 Ann Buck true", "2 Ann Bessie true", "3 Ann Millie true", "<nil> Bob Millie false", "<nil> Bob Bessie false"}
		storetest.Equal(t, "entries", members(list, "rank", "playerUsername", "animalName", "rewardClaimed"), want)
	})
	c.Invariants(t)
}

// A cancelled show has its entries in the order of entering, without ranks and scores.
func TestCancelledShow(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 2, 0)
	c.MustCancel(t, c.Show)
	c.Unchanged(t, func() {
		all := entries(t, c.Golden(t, "cancelled", c.Request))
		storetest.Equal(t, "entries", members(all, "animalName"), []string{c.Ann.Animals[2].Name, c.Ann.Animals[0].Name})
	})
}

// A score of 0 is null in the answer, but the entry has a rank.
func TestAScoreOfZero(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	p := c.NewPlayer(storetest.Cid, 0)
	p.Animals[0].ID = storetest.Worthless(c.Show)
	c.Register(t, p)
	c.MustEnter(t, p, c.Show)
	c.MustJudge(t, p, c.Show)
	list := entries(t, c.Do(t, c.Request))
	storetest.Equal(t, "entries", members(list, "rank", "score"), []string{"1 <nil>"})
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	functiontest.Flaws(t, newCase, []functiontest.Flaw{
		{Name: "show-unknown", By: functiontest.Rules, Status: 404, Body: notFound, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", By: functiontest.Rules, Status: 404, Body: notFound, Make: functiontest.NoUUID},
		functiontest.NoCredentials(),
	})
}

// A banned or deleted caller may read until the token expires. The list also has the entries of such players.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0)
	want := c.Do(t, c.Request).Body
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, want)
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, strings.Replace(want, `"playerUsername":"Ann"`, `"playerUsername":"deleted player"`, 1))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID)+"#0", "ENTRY#"+string(c.Ann.Animals[0].ID)).Edit(t, "SET ca = :damaged", map[string]any{":damaged": "many"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, c.Request, 200, functiontest.Request{ID: "rubbish"})
}
