package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// newCase returns a case in which Ann claims the first prize of a rookie show. Ann entered animal 0, and Bob animal 1.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustEnter(t, c.Bob, c.Show, 1)
	c.MustJudge(t, c.Bob, c.Show)
	return c
}

const (
	first      = `{"success":true,"rank":1,"goldReward":100,"message":"You received 100 gold for rank 1!"}`
	unranked   = `{"success":true,"rank":null,"goldReward":0,"message":"No reward for this placement."}`
	nothing    = `{"error":"NOT_FOUND"}`
	claimed    = `{"error":"ALREADY_CLAIMED"}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

func TestClaim(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Bench = c.AtTime(c.Now + 7)
	c.Golden(t, "claimed", c.Request).Want(t, 200, first)
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	reward := c.LedgerOf(t, c.Ann.ID)[2]
	assert.Equal(t, c.Now, reward.CreatedAt, "%+v", reward)
	c.Do(t, c.Request).Want(t, 400, claimed)
	c.CheckGold(t, c.Bob.ID, 450, 500, -50)
	c.Invariants(t)
}

// A rank without a prize has the message for ranks without a prize. The show's id may be in capitals.
func TestARankWithoutAPrize(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	show := c.AddShow(t, storetest.Tier("exhibition"), func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.MustEnter(t, c.Ann, show, 0)
	c.MustJudge(t, c.Ann, show)
	c.Request.ID = strings.ToUpper(string(show.ID))
	c.Do(t, c.Request).Want(t, 200, `{"success":true,"rank":1,"goldReward":0,"message":"No reward for this placement."}`)
}

// newCaseOfNothing returns a case in which Ann claims for an animal without a rank.
func newCaseOfNothing(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.MustChange(t, c.Ann, 0, operate.AnimalChange{DropPhenotype: true})
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Bob, c.Show)
	return c
}

// A claim without a prize writes the receipt that prevents a second claim, but no ledger row.
func TestAClaimOfNothing(t *testing.T) {
	t.Parallel()
	c := newCaseOfNothing(t)
	changed := c.Changed(t, func() { c.Golden(t, "unranked", c.Request).Want(t, 200, unranked) })
	storetest.Equal(t, "changed rows", changed, []string{c.Result(t, c.Show, "CLAIM#").Key()})
	c.Unchanged(t, func() { c.Do(t, c.Request).Want(t, 400, claimed) })
	c.Invariants(t)
}

func claim(t *testing.T, c *functiontest.Case) { c.MustClaim(t, c.Ann, c.Show) }

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := []functiontest.Flaw{
		{Name: "already-claimed", By: functiontest.Rules, Status: 400, Body: claimed, Make: claim},
		// newCase judges the show with Ann's entry, so the test edits the show's record for these two flaws.
		{Name: "show-open", By: functiontest.Rules, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET st = :open REMOVE ju", map[string]any{":open": game.ShowOpen})
		}},
		{Name: "no-entry", By: functiontest.Rules, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "REMOVE re", nil)
		}},
		{Name: "show-unknown", By: functiontest.Rules, Status: 404, Body: nothing, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", By: functiontest.Rules, Status: 404, Body: nothing, Make: functiontest.NoUUID},
	}
	flaws = append(flaws, functiontest.BannedOrDeleted()...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials()))
}

func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	functiontest.BodiesAreIgnored(t, newCase, first)
}

// If the write fails, an earlier attempt may have paid. So the claim reads its receipt: its role must allow this.
func TestABanBehindTheCheck(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Meanwhile(func() { c.Ban(t, c.Ann.ID) })
	c.Do(t, c.Request).WantUnauthorized(t, true)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET re = :damaged", map[string]any{":damaged": "many"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{ID: "rubbish"}, 404, c.Request)
}
