package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// newCase is Ann claiming the first prize of a rookie show: she entered her first animal and Bob his second.
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
	var a functiontest.Answer
	changed := c.Changed(t, func() { a = c.Golden(t, "claimed", c.Request) })
	a.Want(t, 200, first)
	functiontest.Shape{"success": functiontest.Boolean, "rank": functiontest.Integer, "goldReward": functiontest.Integer, "message": functiontest.Text}.
		Check(t, a.Object(t))
	show, user := string(c.Show.ID), string(c.Ann.ID)
	want := []string{"SHOW#" + show + "#0 CLAIM#" + user, "USER#" + user + " LEDGER#000000000003", "USER#" + user + " PROFILE"}
	storetest.Equal(t, "changed rows", changed, want)
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	reward := c.LedgerOf(t, c.Ann.ID)[2]
	storetest.Equal(t, "ledger row", reward, game.LedgerEntry{
		ID: reward.ID, UserID: c.Ann.ID, Seq: 3, Amount: 100, Currency: "gold", Category: "reward", BalanceAfter: 550,
		Description: "County Fair - Rank 1", RefID: &c.Show.ID, CreatedAt: c.Now,
	})
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
			b := functiontest.New(t, endpoint)
			b.AddSeason(t)
			show := b.AddShow(t, storetest.Tier(tier), storetest.Fee(0))
			var players []storetest.Player
			for _, grade := range []game.Fixed{90_00, 70_00, 50_00, 30_00, storetest.NoPhenotype} {
				p := b.AddPlayer(t, storetest.Anybody, grade)
				b.MustEnter(t, p, show)
				players = append(players, p)
			}
			b.MustJudge(t, players[0], show)
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
	c := functiontest.NewCase(t, endpoint)
	c.MustChange(t, c.Ann, 0, store.AnimalChange{DropPhenotype: true})
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Bob, c.Show)
	return c
}

// Without a prize there is a receipt, and no ledger row.
func TestAClaimOfNothing(t *testing.T) {
	t.Parallel()
	c := newCaseOfNothing(t)
	changed := c.Changed(t, func() { c.Golden(t, "unranked", c.Request).Want(t, 200, unranked) })
	storetest.Equal(t, "changed rows", changed, []string{"SHOW#" + string(c.Show.ID) + "#0 CLAIM#" + string(c.Ann.ID)})
	c.Unchanged(t, func() { c.Do(t, c.Request).Want(t, 400, claimed) })
	c.Invariants(t)
}

// Of several entries the best counts, an unranked one last, and all of them are claimed.
func TestSeveralEntries(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	cid := c.AddPlayer(t, storetest.Cid, storetest.NoPhenotype, 50_00, 70_00)
	c.MustEnter(t, cid, c.Show)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Ann, c.Show)
	c.Request.Token = c.Access(t, cid.User)
	c.Do(t, c.Request).Want(t, 200, `{"success":true,"rank":2,"goldReward":60,"message":"You received 60 gold for rank 2!"}`)
	_, entries, err := c.Rival.ShowWithEntries(t.Context(), c.Show.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.RewardClaimed != (e.PlayerID == cid.ID) {
			t.Errorf("%+v", e)
		}
	}
	c.CheckGold(t, cid.ID, 410, 500, -50, -50, -50, 60)
	c.Do(t, c.Request).Want(t, 400, claimed)
	c.Invariants(t)
}

func claim(t *testing.T, c *functiontest.Case) { c.MustClaim(t, c.Ann, c.Show) }

func pay(t *testing.T, c *functiontest.Case) { c.MustEnter(t, c.Ann, c.AddShow(t), 1) }

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := []functiontest.Flaw{
		{Name: "already-claimed", Order: 3, Status: 400, Body: claimed, Make: claim},
		// No scene leads from a claim to these two: their pairs with it are made by hand.
		{Name: "show-open", Order: 2, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET st = :open REMOVE ju", map[string]any{":open": game.ShowOpen})
		}},
		{Name: "no-entry", Order: 2, Status: 404, Body: nothing, Make: func(t *testing.T, c *functiontest.Case) {
			c.At("SHOW#"+string(c.Show.ID)+"#R", "RESULT").Edit(t, "REMOVE re", nil)
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
	c := functiontest.NewCase(t, endpoint)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.Unchanged(t, func() {
		c.Do(t, c.Request).Want(t, 404, nothing)
		c.Request.Token = c.Access(t, c.Bob.User)
		c.Do(t, c.Request).Want(t, 404, nothing)
	})
	c.MustJudge(t, c.Ann, c.Show)
	c.Do(t, c.Request).Want(t, 404, nothing) // Bob did not enter
	c.Invariants(t)
}

// In a cancelled show there is nothing to claim, neither by who has an entry nor by who has none.
func TestACancelledShow(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustCancel(t, c.Show)
	c.Unchanged(t, func() {
		c.Do(t, c.Request).Want(t, 404, nothing)
		c.Request.Token = c.Access(t, c.Bob.User)
		c.Do(t, c.Request).Want(t, 404, nothing)
	})
	c.Invariants(t)
}

func TestPathIDs(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.NoUUIDs(t, c, nothing)
	show := c.AddShow(t, func(s *storetest.ShowDraft) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.MustEnter(t, c.Ann, show, 0)
	c.MustJudge(t, c.Ann, show)
	c.Request.ID = strings.ToUpper(string(show.ID))
	c.Do(t, c.Request).Want(t, 200, first)
	c.Invariants(t)
}

func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	functiontest.BodiesAreIgnored(t, newCase, first)
}

func TestManyClaimsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.OneOfMany(t, c, 10, 400, claimed)
	c.CheckGold(t, c.Ann.ID, 550, 500, -50, 100)
	c.Invariants(t)
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
		"another claim":   {claim, 400, claimed, 550, []int64{500, -50, 100}},
		"another payment": {pay, 200, first, 500, []int64{500, -50, -50, 100}},
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
	c.At("SHOW#"+string(c.Show.ID)+"#R", "RESULT").Edit(t, "SET re = :damaged", map[string]any{":damaged": "many"})
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
