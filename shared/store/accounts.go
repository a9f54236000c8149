package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

// CreateAccount writes a registration in one transaction: the account with its ranch, the hash of its password, its
// animals, its first ledger row and its first refresh record. It returns game.ErrTaken if another user has the e-mail
// address or the username. The conditions on the two reservations decide, so of several simultaneous registrations with
// one name only one succeeds. One round trip, 16 WCU.
func (s *Store) CreateAccount(ctx context.Context, a game.Account, passwordHash string, animals []game.Animal, ledger game.LedgerEntry, token game.RefreshRecord) error {
	t := s.Table.Begin()
	AddAccount(t, a, passwordHash)
	t.Create(records.NewLedgerItem(ledger), errOwnID)
	t.Create(records.NewRefreshItem(token), errOwnID)
	for _, animal := range animals {
		t.Create(records.NewAnimalItem(animal), errOwnID)
	}
	err := TakenOnce(t.Commit(ctx))
	if t.InDoubt() {
		// A lost attempt may have been applied: then the names are this registration's own.
		var own *records.UserItem
		readErr := s.Table.Decide(ctx, "registration", func(ctx context.Context) (err error) {
			own, err = table.GetSettled[records.UserItem](ctx, s.Table, records.UserKey(a.ID))
			return err
		})
		switch {
		case readErr != nil:
			return fmt.Errorf("%w, after: %v", readErr, err) // err is unreliable: a lost attempt may have succeeded
		case own != nil:
			err = nil
		}
	}
	if err != nil {
		return err
	}
	tally.Add(ctx, tally.GoldPaid, ledger.Amount)
	return nil
}

// AddAccount adds the account and the reservations that make its names unique. The hash is "" without a password.
func AddAccount(t *table.Transaction, a game.Account, passwordHash string) {
	t.Create(records.ReservationItem{Key: records.EmailKey(a.Email), User: a.ID, PasswordHash: passwordHash}, game.ErrTaken)
	t.Create(records.ReservationItem{Key: records.UsernameKey(a.Username), User: a.ID}, game.ErrTaken)
	t.Create(records.NewUserItem(a), errOwnID)
}

// TakenOnce returns game.ErrTaken itself in place of an error that contains it, once or twice.
func TakenOnce(err error) error {
	if errors.Is(err, game.ErrTaken) {
		return game.ErrTaken
	}
	return err
}

// errOwnID means that a new random id is in use: an earlier attempt of the call has written it.
var errOwnID = errors.New("a new id is already taken")

// AccountByEmail returns the account of a lower-cased e-mail address, and the hash of its password, or "" if it has
// none. The account is nil if no account has the address. It is also nil if the account is deleted or gets another
// address between the two reads. The account's PasswordChanges is the count of the hash: if a reset comes between the
// reads, the hash is outdated, and RecordLogin refuses it. The reads are patient: a player needs a log-in. Two round
// trips, 2 RCU.
func (s *Store) AccountByEmail(ctx context.Context, email string) (account *game.Account, passwordHash string, err error) {
	ctx = table.Patiently(ctx)
	reservation, err := table.Get[records.ReservationItem](ctx, s.Table, records.EmailKey(email))
	if err != nil {
		return nil, "", err
	}
	if reservation == nil {
		// Read an account that does not exist, so that the time does not reveal which addresses have an account. Each
		// call reads another random key: a flood of log-ins on one key would throttle its partition.
		reservation = &records.ReservationItem{User: game.NewID()}
	}
	if account, err = s.Account(ctx, reservation.User); IsGone(account) || account.Email != email {
		return nil, reservation.PasswordHash, err
	}
	account.PasswordChanges = reservation.PasswordChanges
	return account, reservation.PasswordHash, err
}

// Account returns the account with the id, even if it is deleted, or nil if it never existed. One round trip, 1 RCU.
func (s *Store) Account(ctx context.Context, id game.ID) (*game.Account, error) {
	item, err := table.Get[records.UserItem](ctx, s.Table, records.UserKey(id))
	return item.Account(), err
}

// RecordLogin sets the last login of an account, which was active when AccountByEmail read it, and stores the refresh
// record, in one transaction. It returns the account as it was then, with the names of a renaming since the read.
//
// If the old hash of the password is still there, RecordLogin also stores a new hash. So of several simultaneous log-ins
// one stores its hash, and none undoes a change of the password. The last login is the one that began last, even if
// another commits later: revocations compare with it. If the account is LockedOut as first read, the record's
// session begins at SessionsFrom, so that it is valid. If the account was banned since it was read, it returns
// game.ErrBanned. If an operator has deleted it, changed its address, or replaced the password since the hash was read,
// RecordLogin returns game.ErrInvalidCredentials. One round trip, 4 WCU; 6 with a new hash.
func (s *Store) RecordLogin(
	ctx context.Context, read game.Account, token game.RefreshRecord, rehash game.Rehash, now game.Instant,
) (game.Account, error) {
	verified, from := read.PasswordChanges, game.Instant(0)
	if read.LockedOut(now) {
		from = read.SessionsFrom
	}
	err := s.Table.Decide(ctx, "logging in", func(ctx context.Context) error {
		err := s.loginTransaction(read, token, rehash, from, now).Commit(ctx)
		if errors.Is(err, errOtherHash) {
			rehash.New, err = "", errors.Join(err, table.ErrStale)
		}
		if !errors.Is(err, table.ErrStale) && !errors.Is(err, errOwnID) {
			return err
		}
		record, account, readErr := s.RefreshRecord(ctx, token.Digest, read.ID)
		switch {
		case readErr != nil:
			return readErr
		case record != nil && record.ID == token.ID: // a lost attempt of this call was applied
			return nil
		case IsGone(account):
			return game.ErrInvalidCredentials
		case account.Status != game.UserActive:
			return game.ErrBanned
		case account.Email != read.Email || account.PasswordChanges > verified:
			return game.ErrInvalidCredentials
		}
		read = *account
		read.PasswordChanges = verified
		return err
	})
	return read, err
}

// errOtherHash means that the password's hash is not as read.
var errOtherHash = errors.New("the password's hash has changed since it was read")

func (s *Store) loginTransaction(read game.Account, token game.RefreshRecord, rehash game.Rehash, from, now game.Instant) *table.Transaction {
	t := s.Table.Begin()
	if rehash.New != "" {
		t.Update(records.EmailKey(read.Email), records.Rehashed(rehash.New), records.HashAsRead(rehash.Old), errOtherHash)
	}
	user, asRead := records.UserKey(read.ID), records.UserAsRead(read).And(records.PasswordAsRead(read))
	if from > 0 && read.SessionsFrom == from { // as first read: a later revocation ends the session
		token, asRead = token.From(from), asRead.And(records.SessionsAsRead(read))
	}
	if read.LastLoginAt == nil || *read.LastLoginAt <= now {
		t.Update(user, records.LoggedIn(now), asRead.And(records.NoLaterLogin(now)), table.ErrStale)
	} else {
		t.Check(user, asRead, table.ErrStale)
	}
	t.Create(records.NewRefreshItem(token), errOwnID)
	return t
}

// RefreshRecord returns the record of a refresh token's digest and the account of the given user. Each is nil if it
// does not exist. The read is patient. One round trip, 2 RCU.
func (s *Store) RefreshRecord(ctx context.Context, digest string, user game.ID) (*game.RefreshRecord, *game.Account, error) {
	ctx = table.Patiently(ctx)
	found, err := s.Table.BatchGet(ctx, "", records.TokenKey(digest), records.UserKey(user))
	if err != nil {
		return nil, nil, err
	}
	record, err := table.In[records.RefreshItem](found, records.TokenKey(digest))
	if err != nil {
		return nil, nil, err
	}
	account, err := table.In[records.UserItem](found, records.UserKey(user))
	return record.Record(), account.Account(), err
}

// DeleteRefreshRecord deletes the record of a refresh token's digest, if there is one. The call is idempotent, so it
// needs no transaction. One round trip, 1 WCU.
func (s *Store) DeleteRefreshRecord(ctx context.Context, digest string) error {
	_, err := s.Table.Delete(ctx, records.TokenKey(digest), table.Condition{})
	return err
}
