package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// If gold moves between the read and the write of a call that moves gold itself, both changes count. The call finds the
// other change by the ledger's number, even if the balance is the same again and no row is in the way. Calls that move
// no gold need no second attempt.
func TestGoldMovesDuringAChange(t *testing.T) {
	t.Parallel()
	amounts := map[string]int64{"enter": -50, "enter free": 0, "claim a prize": 100, "claim nothing": 0, "refund": 50, "adjustment": -1}
	ahead := func(gold int64) func(t *testing.T, f fair) {
		return func(t *testing.T, f fair) {
			f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": gold, ":seq": 7})
		}
	}
	for name, move := range map[string]func(t *testing.T, f fair){
		"a fee is paid": func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Fee(30)), 0) },
		"it comes back": func(t *testing.T, f fair) {
			mustAdjust(t, f, f.Change(), 100)
			mustAdjust(t, f, f.Change(), -100)
		},
		"it is another one without a row": ahead(300),
		"it is the same without a row":    ahead(500),
	} {
		for _, w := range writesOf("enter", "claim", "refund", "adjustment") {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				var then game.Account
				f.Meanwhile(func() {
					move(t, f)
					then = f.AccountOf(t, f.Ann.ID)
				})
				ctx, took := tally.New(t.Context())
				checkError(t, w.do(ctx, f), nil)
				now, rows := f.AccountOf(t, f.Ann.ID), int64(1)
				if amounts[w.name] == 0 {
					rows = 0
					storetest.Equal(t, "attempts", took.Get(tally.Attempts), 1)
				}
				storetest.Equal(t, "balance", now.GoldBalance, then.GoldBalance+amounts[w.name])
				storetest.Equal(t, "rows", now.LedgerSeq, then.LedgerSeq+rows)
			})
		}
	}
}
