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

// newCase returns a case in which Ann enters her first animal for 50 of her 500 gold.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.Request.Body = animal(c.Animal.ID)
	return c
}

func animal(id game.ID) string { return functiontest.JSON(map[string]game.ID{"animalId": id}) }

const (
	entered    = `{"success":true,"message":"Buck entered in County Fair!","entryFee":50}`
	invalid    = `{"error":"VALIDATION_ERROR"}`
	showClosed = `{"error":"NOT_FOUND","message":"Show not found or entry closed"}`
	noAnimal   = `{"error":"NOT_FOUND","message":"Animal not found"}`
	pregnant   = `{"error":"INVALID","message":"Pregnant animals cannot enter shows"}`
	calf       = `{"error":"INVALID","message":"Calves cannot enter shows"}`
	duplicate  = `{"error":"DUPLICATE","message":"Animal already entered"}`
	noGold     = `{"error":"INSUFFICIENT_GOLD","message":"Not enough gold: the entry fee is 50"}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

func TestEnter(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Golden(t, "entered", c.Request).Want(t, 201, entered)
	c.CheckGold(t, c.Ann.ID, 450, 500, -50)
	_, entries, err := c.Rival.ShowWithEntries(t.Context(), c.Show.ID)
	assert.True(t, err == nil && len(entries) == 1 && entries[0].PlayerID == c.Ann.ID && entries[0].AnimalID == c.Animal.ID && entries[0].CreatedAt == c.Now,
		"%v, %v", entries, err)
	c.Do(t, c.Request).Want(t, 409, duplicate)
	c.Invariants(t)
}

// showOf adds a show, and points Ann's request to it.
func showOf(t *testing.T, c *functiontest.Case, change func(*storetest.ShowDraft)) {
	t.Helper()
	c.Show = c.AddShow(t, change)
	c.Request.ID = string(c.Show.ID)
}

func TestAFreeShow(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	showOf(t, c, storetest.Fee(0))
	c.Golden(t, "free", c.Request).WantStatus(t, 201)
	c.CheckGold(t, c.Ann.ID, 500, 500)
	c.Invariants(t)
}

// change returns a flaw that changes the first animals of Ann and Bob.
func change(how operate.AnimalChange) func(*testing.T, *functiontest.Case) {
	return func(t *testing.T, c *functiontest.Case) {
		for _, p := range []storetest.Player{c.Ann, c.Bob} {
			c.MustChange(t, p, 0, how)
		}
	}
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	about := func(id func(*functiontest.Case) game.ID) func(*testing.T, *functiontest.Case) {
		return func(_ *testing.T, c *functiontest.Case) { c.Request.Body = animal(id(c)) }
	}
	flaws := []functiontest.Flaw{
		{Name: "duplicate", By: functiontest.Rules, Status: 409, Body: duplicate, Make: func(t *testing.T, c *functiontest.Case) {
			c.MustEnter(t, c.Ann, c.Show, 0)
			c.MustEnter(t, c.Bob, c.Show, 0)
		}},
		{Name: "insufficient-gold", By: functiontest.Rules, Status: 400, Body: noGold, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("USER#"+string(c.Ann.ID), "PROFILE").Edit(t, "SET g = :gold", map[string]any{":gold": 49})
		}},
		{Name: "calf", By: functiontest.Rules, Status: 400, Body: calf, Make: change(operate.AnimalChange{Stage: new(game.StageCalf)})},
		{Name: "pregnant", By: functiontest.Rules, Status: 400, Body: pregnant, Make: change(operate.AnimalChange{Status: new(game.StatusPregnant)})},
		{Name: "animal-dead", By: functiontest.Rules, Status: 404, Body: noAnimal, Make: change(operate.AnimalChange{DiedAt: new(functiontest.Start)})},
		{Name: "animal-unknown", By: functiontest.Rules, Status: 404, Body: noAnimal, Make: about(func(*functiontest.Case) game.ID { return storetest.ID(1) })},
		{Name: "animal-foreign", By: functiontest.Rules, Status: 404, Body: noAnimal, Make: about(func(c *functiontest.Case) game.ID { return c.Bob.Animals[0].ID })},
		{Name: "show-completed", By: functiontest.Rules, Status: 404, Body: showClosed, Make: functiontest.ShowCompleted},
		{Name: "show-cancelled", By: functiontest.Rules, Status: 404, Body: showClosed, Make: functiontest.ShowCancelled},
		{Name: "show-closing", By: functiontest.Rules, Status: 404, Body: showClosed, Make: functiontest.ShowClosing},
		{Name: "show-unknown", By: functiontest.Rules, Status: 404, Body: showClosed, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", By: functiontest.Rules, Status: 404, Body: showClosed, Make: functiontest.NoUUID},
	}
	flaws = append(flaws, functiontest.BannedOrDeleted()...)
	flaws = append(flaws, functiontest.Flaw{Name: "invalid", By: functiontest.Body, Status: 400, Body: invalid, Make: func(_ *testing.T, c *functiontest.Case) {
		c.Request.Body = `{"animalId":"Buck"}`
	}}, functiontest.NoCredentials())
	functiontest.Flaws(t, newCase, flaws)
}

func TestBodiesThatAreInvalid(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Unchanged(t, func() {
		for _, body := range []string{
			"", "null", "[{}]", `{}`, `{"animalId":null}`, `{"animalId":1}`, `{"AnimalID":"` + string(c.Animal.ID) + `"}`, animal("{" + c.Animal.ID + "}"), c.Request.Body + "{}",
		} {
			c.Request.Body = body
			c.Do(t, c.Request).Want(t, 400, invalid)
		}
	})
}

func TestIDsInCapitals(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	p := c.NewPlayer(storetest.Cid)
	p.Animals[0].ID = "abcdefab-cdef-1bcd-8bcd-abcdefabcdef" // also with another version of UUIDs
	c.Register(t, p)
	showOf(t, c, func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.Request.ID = strings.ToUpper(c.Request.ID)
	c.Request.Body, c.Request.Token = animal("ABCDEFAB-cdef-1bcd-8bcd-abcdefabcdef"), c.Access(t, p.User)
	c.Do(t, c.Request).Want(t, 201, entered)
	c.Invariants(t)
}

// Names appear in the message unchanged, even if their characters have a meaning in JSON, HTML or format strings.
func TestNamesInTheMessage(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	showOf(t, c, func(s *storetest.ShowDraft) { s.Name = `R&B <"Fair"> %d 字` })
	c.At("USER#"+string(c.Ann.ID), "ANIMAL#"+string(c.Animal.ID)).Edit(t, "SET na = :name", map[string]any{":name": "%s é\u2028"})
	a := c.Do(t, c.Request)
	a.WantStatus(t, 201)
	got := a.Object(t)["message"]
	assert.True(t, got == "%s é\u2028 entered in R&B <\"Fair\"> %d 字!", got)
}

// The API ignores the header Idempotency-Key: a second request with the same key is a request of its own.
func TestIdempotencyKeyMeansNothing(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Request.Header = map[string]string{"idempotency-key": "the same key"}
	c.Do(t, c.Request).Want(t, 201, entered)
	c.Do(t, c.Request).Want(t, 409, duplicate)
	c.Request.Body = animal(c.Ann.Animals[1].ID)
	c.Do(t, c.Request).WantStatus(t, 201)
	c.CheckGold(t, c.Ann.ID, 400, 500, -50, -50)
	c.Invariants(t)
}

// If the write fails, the entry reads the gate (its counter shard), which may be full: its role must allow this read.
func TestAnotherAnimalEntersBehindTheCheck(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Meanwhile(func() { c.MustEnter(t, c.Ann, c.Show, 1) })
	c.Do(t, c.Request).Want(t, 201, entered)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET cl = :damaged", map[string]any{":damaged": "tomorrow"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	probe, badBody, badID := c.Request, c.Request, c.Request
	probe.ID, badBody.Body, badID.ID = string(storetest.ID(1)), "rubbish", "rubbish"
	functiontest.Protected(t, c.Bench, c.Ann.User, probe, 404, c.Request, badBody, badID)
}
