package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// moveGold adds a change of an account's balance to the transaction, which must also create the item with its ledger
// row. The account is as it was read. Its status must not have been set since; callers have checked that it was active.
// The other condition is the ledger's number, for two reasons. A balance may return to an earlier value. Two rows with
// one number may have different keys, so no key excludes a duplicate.
func (s *Store) moveGold(t *transaction, account game.Account, row game.LedgerEntry) {
	values := attributes{":balance": number(row.BalanceAfter), ":seq": number(row.Seq), ":seen": number(account.LedgerSeq)}
	t.update(userKey(account.ID), "SET g = :balance, ls = :seq", "ls = :seen AND "+statusAsRead(values, account), values, errStale)
}

// Ledger returns all ledger rows of a user, oldest first: by number, without gaps. The rows of fees are in the
// participations. One range of the user's partition, 1 RCU for about 14 rows.
func (s *Store) Ledger(ctx context.Context, user game.ID) ([]game.LedgerEntry, error) {
	items, err := s.queryAll(ctx, ledgerSpan(user))
	if err != nil {
		return nil, err
	}
	rows := []game.LedgerEntry{}
	for _, av := range items {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		row, is, err := ledgerRow(k.SK, av)
		if err != nil {
			return nil, err
		}
		if is {
			rows = append(rows, row)
		}
	}
	return sortedLedger(rows), nil
}

// LedgerRow returns the row of a user's ledger with the id, for example of an adjustment. It reads the whole ledger, as
// Ledger does. It returns ErrUnknownRow for an unknown id.
func (s *Store) LedgerRow(ctx context.Context, user, id game.ID) (*game.LedgerEntry, error) {
	rows, err := s.Ledger(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.ID == id {
			return &row, nil
		}
	}
	return nil, ErrUnknownRow
}

// ledgerRow reads a ledger row from its record; false if the record has none.
func ledgerRow(k sk, av attributes) (game.LedgerEntry, bool, error) {
	switch {
	case strings.HasPrefix(string(k), string(ledgerPrefix)):
		item, err := unmarshal[ledgerItem](av)
		if err != nil {
			return game.LedgerEntry{}, false, err
		}
		return item.row(), true, nil
	case strings.HasPrefix(string(k), string(seasonPrefix)):
		item, err := unmarshal[participationItem](av)
		if err != nil {
			return game.LedgerEntry{}, false, err
		}
		row, paid := item.row()
		return row, paid, nil
	}
	return game.LedgerEntry{}, false, nil
}

// sortedLedger puts rows in the order of their numbers, and returns them.
func sortedLedger(rows []game.LedgerEntry) []game.LedgerEntry {
	slices.SortFunc(rows, func(a, b game.LedgerEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return rows
}
