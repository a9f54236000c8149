package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestSomebodyTakesTheNameDuringARegistration(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(p *storetest.Player, from storetest.Player){
		"e-mail":   func(p *storetest.Player, from storetest.Player) { p.Email = from.Email },
		"username": func(p *storetest.Player, from storetest.Player) { p.Username = from.Username },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, now := storetest.New(t), now()
			loser, winner := storetest.NewPlayer(now), storetest.NewPlayer(now)
			steal(&winner, loser)
			table.Wire.Next("TransactWriteItems", storetest.Before(func() { table.Add(t, winner, now) }))
			checkError(t, table.CreateAccount(t.Context(), loser.Account, loser.Animals, loser.Starter(), loser.Refresh), game.ErrTaken)
			checkFaults(t, table)
			checkEqual(t, "rows", len(table.Scan(t)), 8)
			if a, err := table.AccountByEmail(t.Context(), winner.Email); err != nil || a.ID != winner.ID {
				t.Error(a, err)
			}
			table.Invariants(t)
		})
	}
}

// Random ids do not meet, but if they did, nothing of anybody's would be overwritten.
func TestARegistrationOverwritesNothing(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(p *storetest.Player, ledger *game.LedgerEntry, other storetest.Player){
		"user": func(p *storetest.Player, ledger *game.LedgerEntry, other storetest.Player) { p.ID = other.ID },
		"ledger": func(_ *storetest.Player, ledger *game.LedgerEntry, other storetest.Player) {
			ledger.UserID = other.ID
		},
		"token": func(p *storetest.Player, _ *game.LedgerEntry, other storetest.Player) {
			p.Refresh.Digest = other.Refresh.Digest
		},
		"animal": func(p *storetest.Player, _ *game.LedgerEntry, other storetest.Player) {
			p.Animals[1] = other.Animals[1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, now := storetest.New(t), now()
			p, other := storetest.NewPlayer(now), table.Register(t, now)
			ledger := p.Starter()
			meet(&p, &ledger, other)
			before := table.Scan(t)
			if err := table.CreateAccount(t.Context(), p.Account, p.Animals, ledger, p.Refresh); err == nil {
				t.Error("want an error")
			}
			checkEqual(t, "rows", len(table.Scan(t)), len(before))
			got, err := table.Account(t.Context(), other.ID)
			if err != nil {
				t.Fatal(err)
			}
			checkEqual(t, "the other account", got, &other.Account)
			table.Invariants(t)
		})
	}
}

func TestUserIsBannedDuringALogin(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	token := storetest.NewRefresh(f.player.ID, f.now)
	f.Wire.Next("TransactWriteItems", storetest.Before(func() { f.ban(t, f.player) }))
	checkError(t, f.RecordLogin(t.Context(), token, f.now), game.ErrBanned)
	checkFaults(t, f.Table)
	checkNoLogin(t, f, token)
	f.Invariants(t)
}

func TestUserIsDeletedDuringALogin(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	token := storetest.NewRefresh(f.player.ID, f.now)
	f.Wire.Next("TransactWriteItems", storetest.Before(func() { f.At(store.UserKey(f.player.ID)).Delete(t) }))
	checkError(t, f.RecordLogin(t.Context(), token, f.now), game.ErrInvalidCredentials)
	checkFaults(t, f.Table)
	checkNoLogin(t, f, token)
}

// A login never takes over a refresh record that exists.
func TestALoginOverwritesNothing(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	other := f.graded(t)
	token := storetest.NewRefresh(f.player.ID, f.now)
	token.Digest = other.Refresh.Digest
	if err := f.RecordLogin(t.Context(), token, f.now); err == nil {
		t.Error("want an error")
	}
	record, account, err := f.RefreshRecord(t.Context(), token.Digest, f.player.ID)
	checkError(t, err, nil)
	checkEqual(t, "refresh record", record, &other.Refresh)
	checkEqual(t, "account", account, &f.player.Account)
	f.Invariants(t)
}

func checkNoLogin(t *testing.T, f fair, token game.RefreshRecord) {
	t.Helper()
	record, account, err := f.RefreshRecord(t.Context(), token.Digest, token.UserID)
	if err != nil || record != nil || account != nil && account.LastLoginAt != nil {
		t.Error(record, account, err)
	}
}

func TestUserIsBannedAndUnbannedDuringALogin(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("TransactWriteItems", storetest.Before(func() { f.ban(t, f.player) }))
	f.Wire.Next("GetItem", storetest.Before(func() {
		if err := f.Rival.SetUserStatus(t.Context(), f.player.ID, game.UserActive); err != nil {
			t.Error(err)
		}
	}))
	if err := f.RecordLogin(t.Context(), storetest.NewRefresh(f.player.ID, f.now), f.now); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	f.Invariants(t)
}

func TestOneOfFiftyRegistrationsOfANameGoesThrough(t *testing.T) {
	t.Parallel()
	for name, share := range map[string]func(p *storetest.Player){
		"e-mail":   func(p *storetest.Player) { p.Email = "wanted@example.com" },
		"username": func(p *storetest.Player) { p.Username = "wanted" },
		"both":     func(p *storetest.Player) { p.Email, p.Username = "wanted@example.com", "wanted" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, now := storetest.New(t), now()
			counts := atOnce(t, 50, func(int) error {
				p := storetest.NewPlayer(now)
				share(&p)
				return table.CreateAccount(t.Context(), p.Account, p.Animals, p.Starter(), p.Refresh)
			}, nil, game.ErrTaken)
			checkEqual(t, "answers", counts, map[error]int{nil: 1, game.ErrTaken: 49})
			checkEqual(t, "rows", len(table.Scan(t)), 8) // nothing is left of the losers
			table.Invariants(t)
		})
	}
}
