package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// MoveGold adds a change of an account's balance to the transaction, which must also write the ledger row. It has two
// conditions. No operator has set the user's status since the account was read. And the number of the ledger's last row
// is as read, because a balance may return to an earlier value. The row's key cannot prevent a second row with its
// number: the keys of ledger items and participations differ.
func MoveGold(t *table.Transaction, account game.Account, row game.LedgerEntry) {
	t.Update(records.UserKey(account.ID), records.GoldMoved(row), records.LedgerAsRead(account).And(records.UserAsRead(account)), table.ErrStale)
}

// Ledger returns all ledger rows of a user by number, oldest first. It reads one range of the user's partition. The
// range includes the participations, because each one contains the row of its fee. 1 RCU for about 14 rows.
func (s *Store) Ledger(ctx context.Context, user game.ID) ([]game.LedgerEntry, error) {
	items, err := s.Table.QueryAll(ctx, records.LedgerSpan(user))
	if err != nil {
		return nil, err
	}
	rows := []game.LedgerEntry{}
	for _, av := range items {
		k, err := table.Unmarshal[table.Key](av)
		if err != nil {
			return nil, err
		}
		row, is, err := LedgerRow(k.SK, av)
		if err != nil {
			return nil, err
		}
		if is {
			rows = append(rows, row)
		}
	}
	return SortedLedger(rows), nil
}

// LedgerRow returns the ledger row of a record, or false if the record has no row.
func LedgerRow(k table.SK, av table.Attributes) (game.LedgerEntry, bool, error) {
	switch {
	case strings.HasPrefix(string(k), string(records.LedgerPrefix)):
		item, err := table.Unmarshal[records.LedgerItem](av)
		if err != nil {
			return game.LedgerEntry{}, false, err
		}
		return item.Row(), true, nil
	case strings.HasPrefix(string(k), string(records.SeasonPrefix)):
		item, err := table.Unmarshal[records.ParticipationItem](av)
		if err != nil {
			return game.LedgerEntry{}, false, err
		}
		row, paid := item.Row()
		return row, paid, nil
	}
	return game.LedgerEntry{}, false, nil
}

// SortedLedger puts rows in the order of their numbers, and returns them.
func SortedLedger(rows []game.LedgerEntry) []game.LedgerEntry {
	slices.SortFunc(rows, func(a, b game.LedgerEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return rows
}
