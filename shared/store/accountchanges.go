package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// What players and operators change in an account. Package operate adds audit records to these changes, and
// ownaccount.go what only the account's player needs. An account is as Account has read it, and its address as
// AddressOf has read it afterwards.

// ErrNotReserved means that the reservation of a user's name is missing or another user's: the table is damaged.
var ErrNotReserved = errors.New("the user's names are not reserved for them: the table is damaged")

// AddressOf reads the reservation of an account's e-mail address. It returns table.ErrStale if the user was changed after
// the account was read, and ErrNotReserved if the table is damaged. One round trip, 2 RCU.
func (s *Store) AddressOf(ctx context.Context, a game.Account) (*records.ReservationItem, error) {
	address, err := table.GetSettled[records.ReservationItem](ctx, s.Table, records.EmailKey(a.Email))
	if err != nil || address != nil && address.User == a.ID {
		return address, err
	}
	now, err := table.GetSettled[records.UserItem](ctx, s.Table, records.UserKey(a.ID))
	switch {
	case err != nil:
		return nil, err
	case now == nil || now.Changes != a.Changes:
		return nil, table.ErrStale
	}
	return nil, ErrNotReserved
}

// AddStatus adds a new status and "valid from" to the transaction. The write fails if another change or a log-in came
// after the read: the log-in's session must be revoked, too.
func AddStatus(t *table.Transaction, read, becomes game.Account) {
	asRead := records.UserAsRead(read).And(records.SessionsAsRead(read)).And(records.LoginAsRead(read))
	t.Update(records.UserKey(read.ID), records.StatusChanged(becomes), asRead, table.ErrStale)
}

// AddPassword adds a new hash to the transaction, and revokes all sessions that began at the instant now or before. It
// returns the account as it becomes. A log-in under way with the old password fails.
//
// The write requires the user as read. So it does not undo another new password, and it also replaces the new hash of a
// log-in that came in between. A later log-in with the old hash fails.
func AddPassword(t *table.Transaction, read game.Account, address *records.ReservationItem, hash string, now game.Instant) game.Account {
	becomes := read
	becomes.SessionsFrom = read.Revocation(now)
	becomes.Changes++
	becomes.PasswordChanges++
	AddStatus(t, read, becomes)
	t.Update(address.Key, records.NewPassword(hash, becomes.PasswordChanges), records.OfUser(read.ID), table.ErrStale)
	return becomes
}

// AddAddress adds the reservation of another e-mail address to the transaction, with the password of the old one. It
// fails with game.ErrTaken if another user has the address. The caller adds the change of the user.
//
// The old reservation must have the hash as read: else a new hash that a log-in writes in between would be lost.
func AddAddress(t *table.Transaction, address *records.ReservationItem, email string) {
	t.Delete(address.Key, address.AsRead(), table.ErrStale)
	moved := *address
	moved.Key = records.EmailKey(email)
	t.Create(moved, game.ErrTaken)
}

// AddDeletion adds the deletion of an account to the transaction, with the note that its entries are to show
// game.DeletedPlayer, which FinishNames does. The address and the username become free. The conditions of the write,
// and the race each stops:
//
//	user          status, "valid from" as read   another change in between: an operator's record would be wrong
//	reservations  lead to this user              another user has taken a name since
//
// Other writes to the user in between need no condition: the deletion removes a log-in's time and hash, and keeps a
// change of gold. A log-in that has read the hash before fails, since it requires the status as read. After the
// transaction, no change by the user commits, since all of them require an active user.
func AddDeletion(t *table.Transaction, read game.Account, now game.Instant) {
	asRead := records.UserAsRead(read).And(records.SessionsAsRead(read))
	t.Update(records.UserKey(read.ID), records.UserDeleted(read.Changes+1), asRead, table.ErrStale)
	t.Replace(records.PendingItem{Key: records.PendingNamesKey(read.ID), Since: now, Renamed: read.Changes + 1})
	for _, name := range []table.Key{records.EmailKey(read.Email), records.UsernameKey(read.Username)} {
		t.Delete(name, records.OfUser(read.ID), ErrNotReserved)
	}
}
