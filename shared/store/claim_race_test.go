package store_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Only a receipt shows that a prize was paid. If it appears during a claim, the claim pays nothing.
func TestReceiptAppearsDuringAClaim(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0)
	f.Meanwhile(func() {
		f.At(store.ReceiptKey(t.Context(), f.Store, f.Show.ID, 0)).Edit(t, "SET rk = :one", map[string]any{":one": 1})
	})
	checkError(t, errOf(f.claim(t.Context(), f.Ann)), game.ErrAlreadyClaimed)
	f.CheckGold(t, f.Ann.ID, 500, 500)
}

// The results decide who has entered. The prize is paid even if the caller's participations are missing.
func TestClaimGoesByTheResultsAlone(t *testing.T) {
	t.Parallel()
	for tier, want := range map[string]string{game.TierRookie: "rank 1, prize 100", "exhibition": "rank 1, prize 0"} {
		f := newFair(t, tier, 0, 3).judged(t, 1, 0)
		parts := make([]map[string]types.AttributeValue, 2)
		for i := range parts {
			part := f.participation(i)
			parts[i] = part.Read(t)
			part.Delete(t)
		}
		f.checkClaim(t, f.Ann, want)
		for i, before := range parts {
			f.participation(i).Restore(t, before)
		}
		f.Invariants(t)
	}
}

// A caller who is banned during a claim is refused, even if another claim was paid: its receipt has another id.
func TestCallerIsBannedBehindAnotherClaim(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0)
	f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Before(func() {
		f.MustClaim(t, f.Ann, f.Show)
		f.Ban(t, f.Ann.ID)
	}))
	checkError(t, errOf(f.claim(t.Context(), f.Ann)), game.ErrUnauthorized)
	f.CheckGold(t, f.Ann.ID, 600, 500, 100)
}

func TestLedgerRowsAreNeverOverwrittenByAClaim(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0)
	row := f.At(store.LedgerKey(f.Ann.ID, 2))
	ctx := f.untilTheNextAttempt(t, func() { row.Edit(t, "SET am = :am, seq = :seq", map[string]any{":am": 7, ":seq": 2}) })
	checkError(t, errOf(f.claim(ctx, f.Ann)), context.Canceled)
	f.CheckGold(t, f.Ann.ID, 500, 500, 7)
}
