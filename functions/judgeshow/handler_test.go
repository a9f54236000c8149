package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// newCase returns a case in which Ann judges a show with two entries, both of them Bob's.
func newCase(t *testing.T) *functiontest.Case {
	c := newEmptyCase(t)
	c.MustEnter(t, c.Bob, c.Show, 0, 2)
	return c
}

// newEmptyCase returns a case in which Ann judges a show without entries.
func newEmptyCase(t *testing.T) *functiontest.Case { return functiontest.NewCase(t, endpoint) }

const (
	notOpen    = `{"error":"NOT_FOUND","message":"Show not open"}`
	nobody     = `{"success":true,"message":"Show judged. 0 entries.","topThree":[]}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

func TestJudge(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0, 1, 2)
	c.MustChange(t, c.Ann, 1, operate.AnimalChange{DropPhenotype: true})
	c.Bench = c.AtTime(c.Now + 7)
	a := c.Golden(t, "judged", c.Request)
	a.WantStatus(t, 200)
	got := a.Object(t)["message"]
	assert.True(t, got == "Show judged. 4 entries.", got)
	show, entries, err := c.Rival.ShowWithEntries(t.Context(), c.Show.ID)
	require.NoError(t, err)
	assert.True(t, show.Status == game.ShowCompleted && show.JudgedAt != nil && *show.JudgedAt == c.Now, "%+v", show)
	last := entries[len(entries)-1]
	assert.True(t, len(entries) == 5 && last.AnimalID == c.Ann.Animals[1].ID && last.Rank == nil && last.Score == nil, "%+v", entries)
	c.CheckGold(t, c.Ann.ID, 350, 500, -50, -50, -50) // judging moves no gold
	c.Do(t, c.Request).Want(t, 404, notOpen)
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	c := newEmptyCase(t)
	c.Golden(t, "no-entries", c.Request).Want(t, 200, nobody)
}

// A judging takes a lease (a lock with a time limit) if it counts 10,000 entries, or if an entry is written during it.
func TestAJudgingTakesALease(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	gate := c.Gate(t, c.Show)
	gate.Edit(t, "SET n = :n", map[string]any{":n": 10_000})
	c.Wire.Next("UpdateItem", storetest.Before(func() { gate.Edit(t, "SET n = :n", map[string]any{":n": 2}) }))
	c.Meanwhile(func() { c.MustEnter(t, c.Ann, c.Show, 0) })
	c.Do(t, c.Request).WantStatus(t, 200)
	c.CheckFaults(t)
	c.Invariants(t)
}

// While another call has the lease, a judging waits until the show is judged.
func TestAJudgingWaitsForAnother(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	show := c.At("SHOW#"+string(c.Show.ID), "SHOW")
	soon := game.InstantOf(c.Clock.Now().Add(5 * time.Second))
	show.Edit(t, "SET lb = :id, lu = :until", map[string]any{":id": game.NewID(), ":until": int64(soon)})
	c.Wire.Next("GetItem", storetest.Before(func() {
		show.Edit(t, "SET st = :st, ju = :now", map[string]any{":st": "completed", ":now": int64(c.Now)})
	}))
	c.Do(t, c.Request).Want(t, 404, notOpen)
	c.CheckFaults(t)
}

// An animal with the lowest traits has a score of 0.00, not null. The show's id may be in capitals.
func TestAScoreOfZero(t *testing.T) {
	t.Parallel()
	c := newEmptyCase(t)
	c.Show = c.AddShow(t, func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	p := c.NewPlayer(storetest.Cid, 0)
	p.Animals[0].ID = storetest.Worthless(c.Show)
	c.Register(t, p)
	c.MustEnter(t, p, c.Show)
	c.Request.ID = strings.ToUpper(string(c.Show.ID))
	c.Do(t, c.Request).Want(t, 200, fmt.Sprintf(
		`{"success":true,"message":"Show judged. 1 entries.","topThree":[{"rank":1,"playerId":"%s","animalId":"%s","score":0.00}]}`, p.ID, p.Animals[0].ID))
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := []functiontest.Flaw{
		{Name: "show-completed", By: functiontest.Rules, Status: 404, Body: notOpen, Make: functiontest.ShowCompleted},
		{Name: "show-cancelled", By: functiontest.Rules, Status: 404, Body: notOpen, Make: functiontest.ShowCancelled},
		{Name: "show-unknown", By: functiontest.Rules, Status: 404, Body: notOpen, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", By: functiontest.Rules, Status: 404, Body: notOpen, Make: functiontest.NoUUID},
	}
	flaws = append(flaws, functiontest.BannedOrDeleted()...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials()))
}

func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	functiontest.BodiesAreIgnored(t, newEmptyCase, nobody)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID)+"#0", "ENTRY#"+string(c.Bob.Animals[2].ID)).Edit(t, "SET co = :damaged", map[string]any{":damaged": "fine"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{ID: "rubbish"}, 404, c.Request)
}
