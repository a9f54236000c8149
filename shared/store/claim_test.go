package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
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
	assert.NoError(t, err, "claim")
	storetest.Equal(t, "claim", got, want)
}

// A claim pays for the best of the caller's entries, in whatever order they were made. An unranked entry does not
// prevent the prize of a ranked one. If all are unranked, the prize is 0.
func TestTheBestEntryIsClaimed(t *testing.T) {
	t.Parallel()
	const none = storetest.NoPhenotype
	for _, c := range []struct {
		grades []game.Fixed // beside a rival's 80.00
		want   string
		prize  int64
	}{
		{[]game.Fixed{10_00, 90_00, 40_00}, "rank 1, prize 1500", 1500}, {[]game.Fixed{70_00, 10_00}, "rank 2, prize 750", 750},
		{[]game.Fixed{10_00, 70_00}, "rank 2, prize 750", 750}, {[]game.Fixed{none, 50_00}, "rank 2, prize 750", 750}, {[]game.Fixed{none, none}, "rank 0, prize 0", 0},
	} {
		for _, gates := range []int{1, 8} {
			f := newFair(t, game.TierElite, 0, gates)
			f.MustEnter(t, f.AddPlayer(t, storetest.Cid, 80_00), f.Show)
			p := f.AddPlayer(t, storetest.Bob, c.grades...)
			f.MustEnter(t, p, f.Show)
			f.MustJudge(t, p, f.Show)
			f.checkClaim(t, p, c.want)
			storetest.Equal(t, "balance", f.AccountOf(t, p.ID).GoldBalance, 500+c.prize)
			checkError(t, errOf(f.claim(t.Context(), p)), game.ErrAlreadyClaimed)
		}
	}
}

func TestNothingToClaim(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 0, gates)
		claim := func(caller, show game.ID) error {
			_, _, err := f.Claim(t.Context(), caller, show, f.Now)
			return err
		}
		look := storetest.Before(func() { t.Error("looked for a receipt that nobody has tried to write") })
		f.Wire.Next("TransactGetItems", storetest.Pass, look) // before any receipt is written
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
	}
}

// The first ledger row of an account can be a prize.
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
