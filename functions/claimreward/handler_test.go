package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func newBench(t *testing.T) *functiontest.Bench {
	return functiontest.New(t, func(s *store.Store, k *token.Keys) httpapi.Endpoint { return endpoint(s, k) })
}

// newCase is Ann claiming the first prize of a rookie show: she entered her first animal and Bob his second.
func newCase(t *testing.T) *functiontest.Case {
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Ann, c.Show, 0)
	c.EnterAll(t, c.Bob, c.Show, 1)
	c.MustJudge(t, c.Bob, c.Show, c.Now)
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
	var a functiontest.Answer
	changed := c.Changed(t, func() { a = c.Golden(t, "claimed", c.Request) })
	a.Want(t, 200, first)
	functiontest.Shape{"success": functiontest.Boolean, "rank": functiontest.Integer, "goldReward": functiontest.Integer, "message": functiontest.Text}.
		Check(t, a.Object(t))
	show, user := string(c.Show.ID), string(c.Ann.ID)
	want := []string{"SHOW#" + show + "#0 CLAIM#" + user, "USER#" + user + " LEDGER#000000000003", "USER#" + user + " PROFILE"}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Error(diff)
	}
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	reward := c.LedgerOf(t, c.Ann.ID)[2]
	wantReward := game.LedgerEntry{
		ID: reward.ID, UserID: c.Ann.ID, Seq: 3, Amount: 100, Currency: "gold", Category: "reward", BalanceAfter: 550,
		Description: "County Fair - Rank 1", RefID: &c.Show.ID, CreatedAt: c.Now,
	}
	if diff := cmp.Diff(wantReward, reward); diff != "" {
		t.Error(diff)
	}
	c.Do(t, c.Request).Want(t, 400, claimed)
	c.CheckGold(t, c.Bob.ID, 450, 500, -50)
	c.Invariants(t)
}

// Every tier's prizes for the ranks 1 to 4 and for an entry without a rank.
func TestPrizes(t *testing.T) {
	t.Parallel()
	for tier, prizes := range map[string][4]int64{
		"rookie": {100, 60, 30, 0}, "pro": {400, 200, 100, 0}, "elite": {1500, 750, 300, 0}, "Rookie": {}, "legend": {},
	} {
		t.Run(tier, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.AddSeason(t, functiontest.Autumn, functiontest.AsItIs)
			show := b.AddShow(t, functiontest.Fair, func(s *game.Show) { s.Tier, s.EntryFee = tier, 0 })
			var players []storetest.Player
			for i, grade := range []game.Fixed{90_00, 70_00, 50_00, 30_00, 10_00} {
				p := b.NewPlayer(functiontest.Ann+100*i, grade)
				p.Email, p.Username = fmt.Sprintf("p%d@example.com", i), fmt.Sprintf("player%d", i)
				if i == 4 {
					p.Animals[0].Phenotype = nil
				}
				b.Add(t, p, b.Now)
				b.EnterAll(t, p, show, 0)
				players = append(players, p)
			}
			b.MustJudge(t, players[0], show, b.Now)
			for i, p := range players {
				a := b.Do(t, functiontest.Request{ID: string(show.ID), Token: b.Access(t, p.User)})
				if i == 4 {
					a.Want(t, 200, unranked)
					b.CheckGold(t, p.ID, 500, 500)
					continue
				}
				rank, prize := i+1, prizes[i]
				message := fmt.Sprintf("You received %d gold for rank %d!", prize, rank)
				amounts := []int64{500, prize}
				if prize == 0 {
					message, amounts = "No reward for this placement.", amounts[:1]
				}
				a.Want(t, 200, fmt.Sprintf(`{"success":true,"rank":%d,"goldReward":%d,"message":"%s"}`, rank, prize, message))
				b.CheckGold(t, p.ID, 500+prize, amounts...)
			}
			b.Invariants(t)
		})
	}
}

// newCaseOfNothing is Ann claiming for an animal that could not be ranked.
func newCaseOfNothing(t *testing.T) *functiontest.Case {
	c := newBench(t).NewCase(t)
	if _, err := c.Rival.ChangeAnimal(t.Context(), c.Ann.ID, c.Animal.ID, store.AnimalChange{DropPhenotype: true}); err != nil {
		t.Fatal(err)
	}
	c.EnterAll(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Bob, c.Show, c.Now)
	return c
}

// Without a prize there is a receipt, and no ledger row.
func TestAClaimOfNothing(t *testing.T) {
	t.Parallel()
	c := newCaseOfNothing(t)
	changed := c.Changed(t, func() { c.Golden(t, "unranked", c.Request).Want(t, 200, unranked) })
	if diff := cmp.Diff([]string{"SHOW#" + string(c.Show.ID) + "#0 CLAIM#" + string(c.Ann.ID)}, changed); diff != "" {
		t.Error(diff)
	}
	c.Unchanged(t, func() { c.Do(t, c.Request).Want(t, 400, claimed) })
	c.Invariants(t)
}

// Of several entries the best counts, an unranked one last, and all of them are claimed.
func TestSeveralEntries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show, ann := b.Fairground(t)
	bob := b.NewPlayer(functiontest.Bob, 10_00, 50_00, 70_00)
	bob.Animals[0].Phenotype = nil
	b.Add(t, bob, b.Now)
	b.EnterAll(t, bob, show, 0, 1, 2)
	b.EnterAll(t, ann, show, 0)
	b.MustJudge(t, ann, show, b.Now)
	r := functiontest.Request{ID: string(show.ID), Token: b.Access(t, bob.User)}
	b.Do(t, r).Want(t, 200, `{"success":true,"rank":2,"goldReward":60,"message":"You received 60 gold for rank 2!"}`)
	_, entries, err := b.Rival.ShowWithEntries(t.Context(), show.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.RewardClaimed != (e.PlayerID == bob.ID) {
			t.Errorf("%+v", e)
		}
	}
	b.CheckGold(t, bob.ID, 410, 500, -50, -50, -50, 60)
	b.Do(t, r).Want(t, 400, claimed)
	b.Invariants(t)
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := []functiontest.Flaw{
		{Name: "already-claimed", Order: 3, Status: 400, Body: claimed, Make: func(t *testing.T, c *functiontest.Case) {
			if _, _, err := c.Rival.Claim(t.Context(), c.Ann.ID, c.Show.ID, c.Now); err != nil {
				t.Fatal(err)
			}
		}},
		// No scene leads from a claim to these two: their pairs with it are made by hand.
		{Name: "show-open", Order: 2, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET st = :open REMOVE ju", map[string]any{":open": game.ShowOpen})
		}},
		{Name: "no-entry", Order: 2, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("USER#"+string(c.Ann.ID), "SEASON#"+string(c.Show.SeasonID)+"#SHOW#"+string(c.Show.ID)).Delete(t)
		}},
		{Name: "show-unknown", Order: 2, Status: 404, Body: nothing, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", Order: 2, Status: 404, Body: nothing, Make: functiontest.NoUUID},
	}
	flaws = append(flaws, functiontest.BannedOrDeleted(1)...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials(0)))
	functiontest.BannedOrDeletedMeanwhile(t, newCase)
	t.Run("without a prize", func(t *testing.T) { functiontest.BannedOrDeletedMeanwhile(t, newCaseOfNothing) })
}

func TestAShowThatIsStillOpen(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Ann, c.Show, 0)
	c.Unchanged(t, func() {
		c.Do(t, c.Request).Want(t, 404, nothing)
		c.Request.Token = c.Access(t, c.Bob.User)
		c.Do(t, c.Request).Want(t, 404, nothing)
	})
	c.MustJudge(t, c.Ann, c.Show, c.Now)
	c.Do(t, c.Request).Want(t, 404, nothing) // Bob did not enter
	c.Invariants(t)
}

func TestPathIDs(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Unchanged(t, func() {
		for _, id := range functiontest.NoIDs() {
			r := c.Request
			r.ID = id
			if c.Do(t, r).Want(t, 404, nothing); t.Failed() {
				t.Fatal(id)
			}
		}
	})
	show := c.AddShow(t, functiontest.Fair+1, func(s *game.Show) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.EnterAll(t, c.Ann, show, 0)
	c.MustJudge(t, c.Ann, show, c.Now)
	c.Request.ID = strings.ToUpper(string(show.ID))
	c.Do(t, c.Request).Want(t, 200, first)
	c.Invariants(t)
}

func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	for name, r := range functiontest.NoObject() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCase(t)
			r.ID, r.Token = c.Request.ID, c.Request.Token
			c.Do(t, r).Want(t, 200, first)
		})
	}
}

func TestManyClaimsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	won := 0
	for _, a := range c.AtOnce(t, slices.Repeat([]functiontest.Request{c.Request}, 10)) {
		if a.Status == 200 {
			won++
			continue
		}
		a.Want(t, 400, claimed)
	}
	if won != 1 {
		t.Errorf("%d claimed", won)
	}
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	c.Invariants(t)
}

func TestWhatHappensBehindTheCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*testing.T, *functiontest.Case)
		status    int
		body      string
		amounts   []int64
	}{
		"another claim": {func(t *testing.T, c *functiontest.Case) {
			if _, _, err := c.Rival.Claim(t.Context(), c.Ann.ID, c.Show.ID, c.Now); err != nil {
				t.Error(err)
			}
		}, 400, claimed, []int64{500, -50, 100}},
		"another payment": {func(t *testing.T, c *functiontest.Case) {
			c.EnterAll(t, c.Ann, c.AddShow(t, functiontest.Fair+1, functiontest.AsItIs), 1)
		}, 200, first, []int64{500, -50, -50, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCase(t)
			c.Wire.Next("TransactWriteItems", storetest.Before(func() { test.meanwhile(t, c) }))
			c.Do(t, c.Request).Want(t, test.status, test.body)
			balance := int64(0)
			for _, amount := range test.amounts {
				balance += amount
			}
			c.CheckGold(t, c.Ann.ID, balance, test.amounts...)
			c.Invariants(t)
		})
	}
}

func TestALostAnswerIsASuccess(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
	c.Wire.Next("TransactWriteItems", storetest.Unavailable, storetest.Conflict, storetest.LoseAnswer, storetest.InProgress)
	c.Do(t, c.Request).Want(t, 200, first)
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	c.Do(t, c.Request).Want(t, 400, claimed)
	c.Invariants(t)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID)+"#0", "GATE").Edit(t, "SET n = :damaged", map[string]any{":damaged": "many"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	probe := c.Request
	probe.ID = "rubbish"
	functiontest.Protected(t, c.Bench, c.Ann.User, probe, 404, c.Request)
}

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Robust(t, c.Bench, c.Request)
}
