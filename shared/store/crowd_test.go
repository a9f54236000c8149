package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// TestManyCallsAtOnce makes 20 calls at once. The answers and the final gold are the same in any order.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	short := game.InsufficientGold(30)
	herd := func(t *testing.T) fair {
		f := newFair(t, game.TierRookie, 30, 4)
		f.Ann = f.AddHerd(t, 7*30+29, 20)
		return f
	}
	register := func(share func(p *storetest.Player)) func(t *testing.T, f fair, i int) error {
		return func(t *testing.T, f fair, i int) error {
			p := f.NewPlayer(storetest.Anybody)
			share(&p)
			return p.Create(t.Context(), f.Store)
		}
	}
	enter := func(t *testing.T, f fair, _ int) error { return f.enter(t.Context(), f.Ann, 0) }
	claim := func(t *testing.T, f fair, _ int) error { return claimOnce(t.Context(), f) }
	for name, c := range map[string]struct {
		fair func(t *testing.T) fair
		do   func(t *testing.T, f fair, i int) error
		want map[error]int
		gold int64
	}{
		"entries of one animal":      {openFair(10, 2), enter, map[error]int{nil: 1, game.ErrDuplicateEntry: 19}, 490},
		"free entries of one animal": {openFair(0, 2), enter, map[error]int{nil: 1, game.ErrDuplicateEntry: 19}, 500},
		"entries for all the gold": {herd, func(t *testing.T, f fair, i int) error {
			return f.enter(t.Context(), f.Ann, i)
		}, map[error]int{nil: 7, short: 13}, 29},
		"claims of one prize":   {judgedFair(game.TierPro, 4), claim, map[error]int{nil: 1, game.ErrAlreadyClaimed: 19}, 900},
		"claims of nothing":     {judgedFair("exhibition", 1), claim, map[error]int{nil: 1, game.ErrAlreadyClaimed: 19}, 500},
		"registrations, e-mail": {openFair(0, 1), register(func(p *storetest.Player) { p.Email = "x@example.com" }), map[error]int{nil: 1, game.ErrTaken: 19}, 500},
		"registrations, name":   {openFair(0, 1), register(func(p *storetest.Player) { p.Username = "wanted" }), map[error]int{nil: 1, game.ErrTaken: 19}, 500},
		"adjustments": {openFair(0, 1), func(t *testing.T, f fair, _ int) error {
			return f.adjust(t, -100)
		}, map[error]int{nil: 5, game.ErrBalance: 15}, 0},
		"changes of a password": {openFair(0, 1), func(t *testing.T, f fair, i int) error {
			return f.changePassword(t.Context(), fmt.Sprint(i), f.NewRefresh(f.Ann.ID), f.Ann.PasswordHash)
		}, map[error]int{nil: 1, game.ErrWrongPassword: 19}, 500},
		"deletions and changes of a password": {openFair(0, 1), func(t *testing.T, f fair, i int) error {
			var err error
			if i%2 == 0 {
				err = f.changePassword(t.Context(), "own", f.NewRefresh(f.Ann.ID), f.Ann.PasswordHash)
			} else {
				err = f.DeleteAccount(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash), f.Now)
			}
			if err == game.ErrUnauthorized { // or ErrWrongPassword: the first change decides
				err = game.ErrWrongPassword
			}
			return err
		}, map[error]int{nil: 1, game.ErrWrongPassword: 19}, 500},
		"changes to one address": {openFair(0, 1), func(t *testing.T, f fair, _ int) error {
			p := f.AddPlayer(t, storetest.Anybody)
			return errOf(f.ChangeEmail(t.Context(), p.ID, knows(p.PasswordHash), "wanted@example.com"))
		}, map[error]int{nil: 1, game.ErrTaken: 19}, 500},
		"log-ins with new hashes": {openFair(0, 1), func(t *testing.T, f fair, i int) error {
			return errOf(f.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: fmt.Sprint(i)}, f.Now))
		}, map[error]int{nil: 20}, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fair(t)
			counts := atOnce(t, 20, func(i int) error { return c.do(t, f, i) }, slices.Collect(maps.Keys(c.want))...)
			storetest.Equal(t, "answers", counts, c.want)
			storetest.Equal(t, "balance", f.AccountOf(t, f.Ann.ID).GoldBalance, c.gold)
		})
	}
}
