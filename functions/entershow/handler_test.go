package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// newCase is Ann entering her first animal for 50 of her 500 gold.
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
	var a functiontest.Answer
	changed := c.Changed(t, func() { a = c.Golden(t, "entered", c.Request) })
	a.Want(t, 201, entered)
	functiontest.Shape{"success": functiontest.Boolean, "message": functiontest.Text, "entryFee": functiontest.Integer}.Check(t, a.Object(t))
	show, user, entrant := string(c.Show.ID), string(c.Ann.ID), string(c.Animal.ID)
	want := []string{
		c.Gate(t, c.Show).Key(), "SHOW#" + show + "#0 ENTRY#" + entrant, "USER#" + user + " PROFILE",
		"USER#" + user + " SEASON#" + string(c.Show.SeasonID) + "#SHOW#" + show + "#ANIMAL#" + entrant,
	}
	storetest.Equal(t, "changed rows", changed, want)
	c.CheckGold(t, c.Ann.ID, 450, 500, -50)
	fee := c.LedgerOf(t, c.Ann.ID)[1]
	storetest.Equal(t, "ledger row", fee, game.LedgerEntry{
		ID: fee.ID, UserID: c.Ann.ID, Seq: 2, Amount: -50, Currency: "gold", Category: "fee", BalanceAfter: 450, Description: "Show entry: County Fair",
		RefID: &c.Show.ID, CreatedAt: c.Now,
	})
	_, entries, err := c.Rival.ShowWithEntries(t.Context(), c.Show.ID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	storetest.Equal(t, "entry", entries[0], game.Entry{
		ID: entries[0].ID, PlayerID: c.Ann.ID, PlayerUsername: "Ann", AnimalID: c.Animal.ID, AnimalName: "Buck", Breed: "Angus",
		RarityTier: c.Animal.RarityTier, CreatedAt: c.Now,
	})
	c.Do(t, c.Request).Want(t, 409, duplicate)
	c.Invariants(t)
}

// showOf makes another show that Ann's request is about.
func showOf(t *testing.T, c *functiontest.Case, change func(*storetest.ShowDraft)) {
	t.Helper()
	c.Show = c.AddShow(t, change)
	c.Request.ID = string(c.Show.ID)
}

func TestFees(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fee    int64
		status int
		body   string
		gold   int64
	}{
		"free":          {0, 201, `{"success":true,"message":"Buck entered in County Fair!","entryFee":0}`, 500},
		"one":           {1, 201, `{"success":true,"message":"Buck entered in County Fair!","entryFee":1}`, 499},
		"all but one":   {499, 201, `{"success":true,"message":"Buck entered in County Fair!","entryFee":499}`, 1},
		"all there is":  {500, 201, `{"success":true,"message":"Buck entered in County Fair!","entryFee":500}`, 0},
		"one more":      {501, 400, `{"error":"INSUFFICIENT_GOLD","message":"Not enough gold: the entry fee is 501"}`, 500},
		"a great sum":   {1 << 40, 400, `{"error":"INSUFFICIENT_GOLD","message":"Not enough gold: the entry fee is 1099511627776"}`, 500},
		"less than one": {-5, 201, `{"success":true,"message":"Buck entered in County Fair!","entryFee":-5}`, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCase(t)
			showOf(t, c, storetest.Fee(max(test.fee, 0)))
			if test.fee < 0 { // which no operator can make
				c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET fe = :fee", map[string]any{":fee": test.fee})
			}
			c.Do(t, c.Request).Want(t, test.status, test.body)
			if test.gold == 500 {
				c.CheckGold(t, c.Ann.ID, 500, 500) // no row without a fee
			} else {
				c.CheckGold(t, c.Ann.ID, test.gold, 500, -test.fee)
			}
		})
	}
}

func newFreeCase(t *testing.T) *functiontest.Case {
	c := newCase(t)
	showOf(t, c, storetest.Fee(0))
	return c
}

func TestAFreeShow(t *testing.T) {
	t.Parallel()
	c := newFreeCase(t)
	c.Golden(t, "free", c.Request).WantStatus(t, 201)
	c.CheckGold(t, c.Ann.ID, 500, 500)
	c.Invariants(t)
}

func TestClosingTime(t *testing.T) {
	t.Parallel()
	for late, want := range map[game.Instant]int{-1: 404, 0: 404, 1: 201} {
		c := newCase(t)
		showOf(t, c, func(s *storetest.ShowDraft) { s.EntryClosesAt = c.Now + late })
		a := c.Do(t, c.Request)
		if a.WantStatus(t, want); want == 404 {
			a.Want(t, 404, showClosed)
		}
		c.Invariants(t)
	}
}

// What happens to Ann's first animal. Bob's first one shares its fate, for requests that are about that.
var (
	dies         = change(store.AnimalChange{DiedAt: new(functiontest.Start)})
	getsPregnant = change(store.AnimalChange{Status: new(game.StatusPregnant)})
	becomesCalf  = change(store.AnimalChange{Stage: new(game.StageCalf)})
)

func change(how store.AnimalChange) func(*testing.T, *functiontest.Case) {
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
		{Name: "duplicate", Order: 7, Status: 409, Body: duplicate, Make: func(t *testing.T, c *functiontest.Case) {
			c.MustEnter(t, c.Ann, c.Show, 0)
			c.MustEnter(t, c.Bob, c.Show, 0)
		}},
		{Name: "insufficient-gold", Order: 8, Status: 400, Body: noGold, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("USER#"+string(c.Ann.ID), "PROFILE").Edit(t, "SET g = :gold", map[string]any{":gold": 49})
		}},
		{Name: "calf", Order: 6, Status: 400, Body: calf, Make: becomesCalf},
		{Name: "pregnant", Order: 5, Status: 400, Body: pregnant, Make: getsPregnant},
		{Name: "animal-dead", Order: 4, Status: 404, Body: noAnimal, Make: dies},
		{Name: "animal-unknown", Order: 4, Status: 404, Body: noAnimal, Make: about(func(*functiontest.Case) game.ID { return storetest.ID(1) })},
		{Name: "animal-foreign", Order: 4, Status: 404, Body: noAnimal, Make: about(func(c *functiontest.Case) game.ID { return c.Bob.Animals[0].ID })},
		{Name: "show-completed", Order: 3, Status: 404, Body: showClosed, Make: functiontest.ShowCompleted},
		{Name: "show-cancelled", Order: 3, Status: 404, Body: showClosed, Make: functiontest.ShowCancelled},
		{Name: "show-closing", Order: 3, Status: 404, Body: showClosed, Make: functiontest.ShowClosing},
		{Name: "show-unknown", Order: 3, Status: 404, Body: showClosed, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", Order: 3, Status: 404, Body: showClosed, Make: functiontest.NoUUID},
	}
	flaws = append(flaws, functiontest.BannedOrDeleted(2)...)
	flaws = append(flaws, functiontest.Flaw{Name: "invalid", Order: 1, Status: 400, Body: invalid, Make: func(_ *testing.T, c *functiontest.Case) {
		c.Request.Body = `{"animalId":"Buck"}`
	}}, functiontest.NoCredentials(0))
	functiontest.Flaws(t, newCase, flaws)
	functiontest.BannedOrDeletedMeanwhile(t, newCase)
	t.Run("free", func(t *testing.T) { functiontest.BannedOrDeletedMeanwhile(t, newFreeCase) })
}

func TestBodiesThatAreInvalid(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	requests := functiontest.NoObject()
	for _, body := range []string{`{}`, `{"animalId":null}`, `{"animalId":""}`, `{"animalId":1}`, `{"animalId":["x"]}`, `{"animalId":{}}`, `{"animalId":true}`,
		`{"AnimalID":"` + string(c.Animal.ID) + `"}`, `{"animal_id":"` + string(c.Animal.ID) + `"}`} {
		requests[body] = functiontest.Request{Body: body}
	}
	requests["a good one too large"] = functiontest.Request{Body: c.Request.Body + strings.Repeat(" ", 65_537-len(c.Request.Body))}
	requests["a good one and more"] = functiontest.Request{Body: c.Request.Body + "{}"}
	for _, id := range functiontest.NoIDs(c.Animal.ID) {
		requests["the id "+id] = functiontest.Request{Body: animal(game.ID(id))}
	}
	c.Unchanged(t, func() {
		for name, r := range requests {
			r.ID, r.Token = c.Request.ID, c.Request.Token
			if c.Do(t, r).Want(t, 400, invalid); t.Failed() {
				t.Fatalf("%.100s", name)
			}
		}
	})
}

func TestBodiesThatAreStillRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*functiontest.Request){
		"65,536 bytes":   func(r *functiontest.Request) { r.Body += strings.Repeat(" ", 65_536-len(r.Body)) },
		"base64":         func(r *functiontest.Request) { r.Base64 = true },
		"unknown fields": func(r *functiontest.Request) { r.Body = strings.Replace(r.Body, "{", `{"entryFee":0,"AnimalID":1,`, 1) },
		"ids in capitals": func(r *functiontest.Request) {
			r.ID = strings.ToUpper(r.ID)
			r.Body = strings.Replace(r.Body, "abcdefab", "ABCDEFAB", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := functiontest.NewCase(t, endpoint)
			p := c.NewPlayer(storetest.Cid)
			p.Animals[0].ID = "abcdefab-cdef-1bcd-8bcd-abcdefabcdef" // of another version of UUIDs, too
			c.Register(t, p)
			showOf(t, c, func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
			c.Request.Body, c.Request.Token = animal(p.Animals[0].ID), c.Access(t, p.User)
			change(&c.Request)
			c.Do(t, c.Request).Want(t, 201, entered)
			c.Invariants(t)
		})
	}
}

func TestPathIDsThatAreNoUUID(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.NoUUIDs(t, c, showClosed)
}

// Names reach the message as they are, whatever they mean elsewhere.
func TestNamesInTheMessage(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	showOf(t, c, func(s *storetest.ShowDraft) { s.Name = `R&B <"Fair"> %d 字` })
	c.At("USER#"+string(c.Ann.ID), "ANIMAL#"+string(c.Animal.ID)).Edit(t, "SET na = :name", map[string]any{":name": "%s é\u2028"})
	a := c.Do(t, c.Request)
	a.WantStatus(t, 201)
	if got := a.Object(t)["message"]; got != "%s é\u2028 entered in R&B <\"Fair\"> %d 字!" {
		t.Error(got)
	}
}

func TestWhatHappensBehindTheCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*testing.T, *functiontest.Case)
		status    int
		body      string
		gold      int64
		amounts   []int64
	}{
		"the show is judged":     {functiontest.ShowCompleted, 404, showClosed, 500, []int64{500}},
		"the animal dies":        {dies, 404, noAnimal, 500, []int64{500}},
		"the animal is pregnant": {getsPregnant, 400, pregnant, 500, []int64{500}},
		"the animal is a calf":   {becomesCalf, 400, calf, 500, []int64{500}},
		"the animal is entered":  {isEntered, 409, duplicate, 450, []int64{500, -50}},
		"another one is entered": {func(t *testing.T, c *functiontest.Case) { c.MustEnter(t, c.Ann, c.Show, 1) }, 201, entered, 400, []int64{500, -50, -50}},
		"the gold is spent":      {spend, 400, noGold, 49, []int64{500, -451}},
		"somebody else enters":   {func(t *testing.T, c *functiontest.Case) { c.MustEnter(t, c.Bob, c.Show, 0) }, 201, entered, 450, []int64{500, -50}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCase(t)
			c.Meanwhile(func() { test.meanwhile(t, c) })
			c.Do(t, c.Request).Want(t, test.status, test.body)
			c.CheckGold(t, c.Ann.ID, test.gold, test.amounts...)
			c.Invariants(t)
		})
	}
}

func isEntered(t *testing.T, c *functiontest.Case) { c.MustEnter(t, c.Ann, c.Show, 0) }

// spend leaves Ann 49 gold.
func spend(t *testing.T, c *functiontest.Case) {
	c.MustEnter(t, c.Ann, c.AddShow(t, storetest.Fee(451)), 2)
}

func TestManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	var requests []functiontest.Request
	for range 4 {
		for _, entrant := range c.Ann.Animals {
			r := c.Request
			r.Body = animal(entrant.ID)
			requests = append(requests, r)
		}
	}
	statuses := map[int]int{}
	for _, a := range c.AtOnce(t, requests) {
		statuses[a.Status]++
	}
	storetest.Equal(t, "statuses", statuses, map[int]int{201: 3, 409: 9})
	c.CheckGold(t, c.Ann.ID, 350, 500, -50, -50, -50)
	c.Invariants(t)
}

func TestALostAnswerIsASuccess(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
	c.Wire.Next("TransactWriteItems", storetest.Unavailable, storetest.Conflict, storetest.LoseAnswer, storetest.InProgress)
	c.Do(t, c.Request).Want(t, 201, entered)
	c.CheckGold(t, c.Ann.ID, 450, 500, -50)
	c.Do(t, c.Request).Want(t, 409, duplicate) // a new request is a new request
	c.CheckGold(t, c.Ann.ID, 450, 500, -50)
	c.Invariants(t)
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

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Robust(t, c.AtTime(c.Now.Add(time.Minute)), c.Request)
}
