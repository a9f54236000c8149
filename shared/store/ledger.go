package store

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
)

// moveGold adds a change of an account's balance and its ledger row to the transaction. The account is as it was read:
// the ledger's number is the condition, since a balance may come back to what it was.
func (s *Store) moveGold(t *transaction, account game.Account, row game.LedgerEntry) {
	t.update(userKey(account.ID), "SET g = :balance, ls = :seq", "ls = :seen AND st = :active", attributes{
		":balance": number(row.BalanceAfter), ":seq": number(row.Seq), ":seen": number(account.LedgerSeq),
		":active": str(string(game.UserActive)),
	}, errStale)
	t.create(newLedgerItem(row), errStale)
}

// Ledger returns all ledger rows of a user, oldest first.
func (s *Store) Ledger(ctx context.Context, user game.ID) ([]game.LedgerEntry, error) {
	items, err := s.queryAll(ctx, prefixed(userPK(user), ledgerPrefix))
	if err != nil {
		return nil, err
	}
	return decodeAll(items, (*ledgerItem).entry)
}
