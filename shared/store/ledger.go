package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// moveGold adds a change of an account's balance to the transaction, which must also write the ledger row. It has two
// conditions. No operator has set the user's status since the account was read. And the number of the ledger's last row
// is as read, because a balance may return to an earlier value. The row's key cannot prevent a second row with its
// number: the keys of ledger items and participations differ.
func moveGold(t *transaction, account game.Account, row game.LedgerEntry) {
	values := attributes{":balance": number(row.BalanceAfter), ":seq": number(row.Seq), ":seen": number(account.LedgerSeq)}
	t.Update(userKey(account.ID), "SET g = :balance, ls = :seq", "ls = :seen AND "+statusAsRead(values, account), values, errStale)
}

// Ledger returns all ledger rows of a user by number, oldest first. It reads one range of the user's partition. The
// range includes the participations, because each one contains the row of its fee. 1 RCU for about 14 rows.
func (s *Store) Ledger(ctx context.Context, user game.ID) ([]game.LedgerEntry, error) {
	items, err := s.table.QueryAll(ctx, ledgerSpan(user))
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

// ledgerRow returns the ledger row of a record, or false if the record has no row.
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
