package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// newCase is Ann judging a show with two entries of Bob's.
func newCase(t *testing.T) *functiontest.Case {
	c := newEmptyCase(t)
	c.MustEnter(t, c.Bob, c.Show, 0, 2)
	return c
}

// newEmptyCase is Ann judging a show without entries.
func newEmptyCase(t *testing.T) *functiontest.Case { return functiontest.NewCase(t, endpoint) }

const (
	notOpen    = `{"error":"NOT_FOUND","message":"Show not open"}`
	nobody     = `{"success":true,"message":"Show judged. 0 entries.","topThree":[]}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

// list returns the show and its entries as they are stored.
func list(t *testing.T, c *functiontest.Case) (game.Show, []game.Entry) {
	t.Helper()
	show, entries, err := c.Rival.ShowWithEntries(t.Context(), c.Show.ID)
	if err != nil {
		t.Fatal(err)
	}
	return show, entries
}

func TestJudge(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0, 1, 2)
	c.MustChange(t, c.Ann, 1, store.AnimalChange{DropPhenotype: true})
	c.Bench = c.AtTime(c.Now + 7)
	a := c.Golden(t, "judged", c.Request)
	a.WantStatus(t, 200)
	body := a.Object(t)
	functiontest.Shape{"success": functiontest.Boolean, "message": functiontest.Text, "topThree": functiontest.List}.Check(t, body)
	if body["success"] != true || body["message"] != "Show judged. 4 entries." {
		t.Error(body)
	}
	show, entries := list(t, c)
	if show.Status != game.ShowCompleted || show.JudgedAt == nil || *show.JudgedAt != c.Now {
		t.Errorf("%+v", show)
	}
	checkTop(t, a, entries)
	last := entries[len(entries)-1]
	if len(entries) != 5 || last.AnimalID != c.Ann.Animals[1].ID || last.Rank != nil || last.Score != nil {
		t.Errorf("%+v", entries)
	}
	c.CheckGold(t, c.Ann.ID, 350, 500, -50, -50, -50) // judging moves no gold
	c.Do(t, c.Request).Want(t, 404, notOpen)
}

// checkTop compares the first three of a show's list with the answer to its judging.
func checkTop(t *testing.T, a functiontest.Answer, entries []game.Entry) {
	t.Helper()
	top := functiontest.Objects(t, functiontest.In[[]any](t, a.Object(t), "topThree"))
	entries = slices.DeleteFunc(slices.Clone(entries), func(e game.Entry) bool { return e.Rank == nil })
	if len(top) != min(3, len(entries)) {
		t.Fatalf("%d at the top of %d", len(top), len(entries))
	}
	for i, winner := range top {
		functiontest.Shape{"rank": functiontest.Integer, "playerId": functiontest.UUID, "animalId": functiontest.UUID, "score": functiontest.Decimal}.Check(t, winner)
		score := game.FixedMin
		if entries[i].Score != nil {
			score = *entries[i].Score
		}
		want := fmt.Sprint(i+1, entries[i].PlayerID, entries[i].AnimalID, score)
		if got := fmt.Sprint(winner["rank"], winner["playerId"], winner["animalId"], winner["score"]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	c := newEmptyCase(t)
	c.Golden(t, "no-entries", c.Request).Want(t, 200, nobody)
}

// A judging that counts thousands of entries says that it is at work. That is all it says when nobody comes in between.
func TestAJudgingOfManyEntriesLeasesTheShow(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	gate := c.Gate(t, c.Show)
	gate.Edit(t, "SET n = :n", map[string]any{":n": 10_000})
	c.Wire.Next("UpdateItem", storetest.Before(func() { gate.Edit(t, "SET n = :n", map[string]any{":n": 2}) }))
	c.Do(t, c.Request).WantStatus(t, 200)
	c.CheckFaults(t)
	c.Invariants(t)
}

// Whoever comes second waits until the show is judged.
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

// An animal of no worth has a score of 0.00, and no null.
func TestAScoreOfZero(t *testing.T) {
	t.Parallel()
	c := newEmptyCase(t)
	p := c.NewPlayer(storetest.Cid, 0)
	p.Animals[0].ID = storetest.Worthless(c.Show)
	c.Register(t, p)
	c.MustEnter(t, p, c.Show)
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

func TestIDsInCapitals(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	show := c.AddShow(t, func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.Request.ID = strings.ToUpper(string(show.ID))
	c.Do(t, c.Request).Want(t, 200, nobody)
}

func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	functiontest.BodiesAreIgnored(t, newEmptyCase, nobody)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("USER#"+string(c.Bob.ID), "ANIMAL#"+string(c.Bob.Animals[2].ID)).Edit(t, "SET co = :damaged", map[string]any{":damaged": "fine"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	probe := c.Request
	probe.ID = "rubbish"
	functiontest.Protected(t, c.Bench, c.Ann.User, probe, 404, c.Request)
}

// A judging that had to keep entries waiting says so in its line of the log, and what else it took.
func TestTheLogTellsOfASeal(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Meanwhile(func() { c.MustEnter(t, c.Ann, c.Show, 0) })
	a := c.Do(t, c.Request)
	a.WantStatus(t, 200)
	// A write, which the entry overtook, the seal of one gate, and another write.
	if !strings.Contains(a.Log, `"Attempts":3,"Conflicts":1,"Seals":1`) {
		t.Error(a.Log)
	}
}
