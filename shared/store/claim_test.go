package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// claim claims for the player, and returns the rank and the prize as one text.
func (f fair) claim(ctx context.Context, p storetest.Player) (string, error) {
	rank, prize, err := f.Claim(ctx, p.ID, f.Show.ID, f.Now+9)
	return fmt.Sprintf("rank %d, prize %d", rank, prize), err
}

func (f fair) checkClaim(t *testing.T, p storetest.Player, want string) {
	t.Helper()
	got, err := f.claim(t.Context(), p)
	if err != nil {
		t.Errorf("claim: %v", err)
	}
	storetest.Equal(t, "claim", got, want)
}

// Six players with one animal each, from the best to the worst.
func TestPrizesOfEveryTier(t *testing.T) {
	t.Parallel()
	for tier, prizes := range map[string][]int64{
		game.TierRookie: {100, 60, 30, 0, 0, 0},
		game.TierPro:    {400, 200, 100, 0, 0, 0},
		game.TierElite:  {1500, 750, 300, 0, 0, 0},
		"exhibition":    {0, 0, 0, 0, 0, 0},
		"ROOKIE":        {0, 0, 0, 0, 0, 0},
	} {
		t.Run(tier, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, tier, 20, 2)
			var players []storetest.Player
			for i := range prizes {
				p := f.AddPlayer(t, storetest.Anybody, game.Fixed(95-10*i)*100)
				f.MustEnter(t, p, f.Show)
				players = append(players, p)
			}
			f.MustJudge(t, f.Ann, f.Show)
			for i, p := range players {
				f.checkClaim(t, p, fmt.Sprintf("rank %d, prize %d", i+1, prizes[i]))
				amounts := []int64{500, -20}
				if prizes[i] > 0 {
					amounts = append(amounts, prizes[i])
				}
				f.CheckGold(t, p.ID, 480+prizes[i], amounts...)
				_, err := f.claim(t.Context(), p)
				checkError(t, err, game.ErrAlreadyClaimed)
			}
			f.Invariants(t)
		})
	}
}

func TestClaimIsWritten(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierPro, 0, 1).judged(t, 0)
	f.checkClaim(t, f.Ann, "rank 1, prize 400")
	rows, err := f.Ledger(t.Context(), f.Ann.ID)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	storetest.Equal(t, "ledger row", rows[1], game.LedgerEntry{
		ID: rows[1].ID, UserID: f.Ann.ID, Seq: 2, Amount: 400, Currency: "gold", Category: game.CategoryReward, BalanceAfter: 900,
		Description: "County Fair - Rank 1", RefID: &f.Show.ID, CreatedAt: f.Now + 9,
	})
	f.Invariants(t)
}

func TestTheBestOfSeveralEntriesIsClaimed(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 8} {
		f := newFair(t, game.TierRookie, 0, gates)
		f.MustEnter(t, f.AddPlayer(t, storetest.Bob, 99_00), f.Show)
		f.judged(t, 2, 0, 1)
		f.checkClaim(t, f.Ann, "rank 2, prize 60")
		f.CheckGold(t, f.Ann.ID, 560, 500, 60)
		f.Invariants(t)
	}
}

// rewardClaimed becomes true on all of the caller's entries in the show, and on nobody else's.
func TestAllEntriesOfTheCallerAreClaimed(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 8} {
		f := newFair(t, game.TierRookie, 0, gates)
		rival := f.AddPlayer(t, storetest.Bob)
		other := f.AddShow(t, storetest.Fee(0))
		f.MustEnter(t, rival, f.Show, 0)
		f.MustEnter(t, f.Ann, other, 0)
		f.MustJudge(t, rival, other)
		f.judged(t, 0, 1, 2)
		f.MustClaim(t, f.Ann, f.Show)
		for _, show := range []game.Show{f.Show, other} {
			_, entries, err := f.ShowWithEntries(t.Context(), show.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				storetest.Equal(t, "rewardClaimed", e.RewardClaimed, e.PlayerID == f.Ann.ID && show.ID == f.Show.ID)
			}
		}
		f.Invariants(t)
	}
}

func TestUnrankedEntriesAreClaimedForNothing(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 8} {
		f := newFair(t, game.TierElite, 0, gates)
		p := f.AddPlayer(t, storetest.Bob, storetest.NoPhenotype, storetest.NoPhenotype)
		f.MustEnter(t, p, f.Show)
		f.MustJudge(t, p, f.Show)
		f.checkClaim(t, p, "rank 0, prize 0")
		_, err := f.claim(t.Context(), p)
		checkError(t, err, game.ErrAlreadyClaimed)
		f.CheckGold(t, p.ID, 500, 500)
		f.Invariants(t)
	}
}

// An unranked entry does not stand in the way of a ranked one: nulls come last.
func TestRankedEntryIsClaimedBeforeAnUnrankedOne(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	p := f.AddPlayer(t, storetest.Bob, storetest.NoPhenotype, 50_00)
	f.MustEnter(t, p, f.Show)
	f.MustJudge(t, p, f.Show)
	f.checkClaim(t, p, "rank 1, prize 100")
	f.Invariants(t)
}

func TestNothingToClaim(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 0, gates)
		claim := func(caller, show game.ID) error {
			_, _, err := f.Claim(t.Context(), caller, show, f.Now)
			return err
		}
		f.Wire.Next("TransactGetItems", storetest.Before(func() { t.Error("looked for a receipt that nobody has tried to write") }))
		for _, show := range []game.ID{"", game.NewID()} {
			checkError(t, claim(f.Ann.ID, show), game.ErrNothingToClaim)
			checkError(t, claim(game.NewID(), show), game.ErrUnauthorized)
		}
		checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
		checkError(t, claim(f.Ann.ID, f.Show.ID), game.ErrNothingToClaim) // not judged
		cancelled := f.AddShow(t, storetest.Fee(0))
		f.MustEnter(t, f.Ann, cancelled, 0)
		f.MustCancel(t, cancelled)
		checkError(t, claim(f.Ann.ID, cancelled.ID), game.ErrNothingToClaim)
		f.MustJudge(t, f.Ann, f.Show)
		stranger := f.AddPlayer(t, storetest.Bob)
		checkError(t, claim(stranger.ID, f.Show.ID), game.ErrNothingToClaim) // no entry
		checkError(t, claim(game.NewID(), f.Show.ID), game.ErrUnauthorized)
		f.Ban(t, f.Ann.ID)
		checkError(t, claim(f.Ann.ID, f.Show.ID), game.ErrUnauthorized)
		f.CheckGold(t, f.Ann.ID, 500, 500)
		f.Unban(t, f.Ann.ID)
		f.checkClaim(t, f.Ann, "rank 1, prize 100")
		f.Ban(t, f.Ann.ID)
		checkError(t, claim(f.Ann.ID, f.Show.ID), game.ErrUnauthorized) // before 'already claimed'
		f.Wire.Forget()
		f.Invariants(t)
	}
}

// A claim belongs to a show: the prizes of two shows are paid apart.
func TestPrizesOfSeveralShows(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	other := f.AddShow(t, storetest.Tier(game.TierElite), storetest.Fee(0))
	f.MustEnter(t, f.Ann, other, 0)
	f.MustJudge(t, f.Ann, other)
	f.judged(t, 0)
	f.checkClaim(t, f.Ann, "rank 1, prize 100")
	if _, prize, err := f.Claim(t.Context(), f.Ann.ID, other.ID, f.Now); err != nil || prize != 1500 {
		t.Error(prize, err)
	}
	f.CheckGold(t, f.Ann.ID, 2100, 500, 100, 1500)
	f.Invariants(t)
}

// A player whose account had no ledger yet starts it with a prize.
func TestPrizeOfAnAccountWithoutLedger(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	external, animal := f.AddExternal(t, storetest.Bob, ""), f.Ann.Animals[0]
	f.At(store.AnimalKey(external.ID, animal.ID)).Edit(t, "SET sg = :sg, st = :st, co = :co, ph = :ph",
		map[string]any{":sg": "adult", ":st": "idle", ":co": 100_00, ":ph": animal.Phenotype})
	p := storetest.Player{Account: external, Animals: []game.Animal{animal}}
	f.MustEnter(t, p, f.Show)
	f.MustJudge(t, p, f.Show)
	f.checkClaim(t, p, "rank 1, prize 100")
	f.CheckGold(t, p.ID, 100, 100)
}
