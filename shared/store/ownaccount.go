package store

import (
	"context"
	"errors"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// ownNamesPatience is how long DeleteAccount renames entries before it leaves the rest to Finish.
const ownNamesPatience = 10 * time.Second

// Prove returns nil if the caller of an operation knows the password of this hash. Otherwise it returns a refusal, or a
// fault if the hash is damaged. An operation calls Prove again only if the hash changes meanwhile.
type Prove func(hash string) error

// ChangePassword replaces the hash of the user's password, revokes all sessions, and stores the refresh record of a new
// session, in one transaction. It sets the instant at which that session begins. It returns the user as they become.
// newHash is only called after the proof, once for each attempt.
//
// It returns game.ErrUnauthorized if the user is not active, game.ErrOAuthAccount if they have no password, and what
// prove returns. The write is AddPassword's. Three round trips, 3 RCU, 6 WCU.
func (s *Store) ChangePassword(
	ctx context.Context, user game.ID, prove Prove, newHash func() string, session game.RefreshRecord, now game.Instant,
) (becomes game.User, err error) {
	c := ownChange{Store: s, user: user, prove: prove, passwordOnly: true}
	c.write = func(t *table.Transaction, read game.Account, address *records.ReservationItem) error {
		account := AddPassword(t, read, address, newHash(), now)
		becomes = account.User
		t.Create(records.NewRefreshItem(session.From(account.SessionsFrom)), errOwnID)
		return nil
	}
	c.applied = func(ctx context.Context) (bool, error) {
		own, err := table.GetSettled[records.RefreshItem](ctx, s.Table, records.TokenKey(session.Digest))
		return own != nil && own.ID == session.ID, err
	}
	return becomes, s.Table.Decide(ctx, "changing a password", c.try)
}

// ChangeEmail gives the user another e-mail address, in lower case, and returns the user with it. Sessions stay. If the
// user has the address already, nothing changes.
//
// It returns game.ErrTaken if another user has the address, and otherwise the errors of ChangePassword. The conditions
// of the write, and the race each stops:
//
//	user             no change since           another change of the names, the password or the status
//	old reservation  the user's, hash as read  a log-in writes a hash in between, which would be lost
//	new reservation  must not exist            another user takes the address
//
// Three round trips, 3 RCU, 6 WCU.
func (s *Store) ChangeEmail(ctx context.Context, user game.ID, prove Prove, email string) (becomes game.User, err error) {
	c := ownChange{Store: s, user: user, prove: prove, passwordOnly: true}
	c.write = func(t *table.Transaction, read game.Account, address *records.ReservationItem) error {
		if becomes = read.User; becomes.Email == email {
			return errNoChange
		}
		becomes.Email = email
		account := read
		account.User = becomes
		account.Changes++
		t.Update(records.UserKey(user), records.Renamed(account, false), records.UserAsRead(read), table.ErrStale)
		AddAddress(t, address, email)
		return nil
	}
	c.applied = func(ctx context.Context) (bool, error) {
		taken, err := table.GetSettled[records.ReservationItem](ctx, s.Table, records.EmailKey(email))
		return taken != nil && taken.User == user, err
	}
	err = s.Table.Decide(ctx, "changing an address", c.try)
	if errors.Is(err, errNoChange) {
		err = nil
	}
	return becomes, TakenOnce(err)
}

// errNoChange means that the user has the address already.
var errNoChange = errors.New("the user has this address already")

// DeleteAccount deletes the user as an operator's DeleteUser does (see AddDeletion). Then it renames the user's entries
// for up to ownNamesPatience. If that fails or takes longer, Finish completes it, and DeleteAccount returns nil all the
// same: the account is deleted. An account without a password needs no proof.
//
// It returns game.ErrUnauthorized if the user is not active, also if they were deleted before, and what prove returns.
// Three round trips, 3 RCU and 8 WCU for the deletion; for the entries as FinishNames.
func (s *Store) DeleteAccount(ctx context.Context, user game.ID, prove Prove, now game.Instant) error {
	c := ownChange{Store: s, user: user, prove: prove}
	c.write = func(t *table.Transaction, read game.Account, _ *records.ReservationItem) error {
		AddDeletion(t, read, now)
		return nil
	}
	c.applied = func(ctx context.Context) (bool, error) {
		account, err := table.GetSettled[records.UserItem](ctx, s.Table, records.UserKey(user))
		return account != nil && account.Status == game.UserDeleted, err
	}
	if err := s.Table.Decide(ctx, "deleting an account", c.try); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ownNamesPatience)
	defer cancel()
	_, _ = s.FinishNames(ctx, user, game.DeletedPlayer) // the note of the deletion stays, and an alarm has its age
	return nil
}

// ownChange is a call by which players change their own account.
type ownChange struct {
	*Store
	user         game.ID
	prove        Prove
	passwordOnly bool // the change is refused to accounts without a password

	// write fills the transaction. applied reports whether a lost attempt of this call was applied.
	write   func(t *table.Transaction, read game.Account, address *records.ReservationItem) error
	applied func(ctx context.Context) (bool, error)

	proved string // the hash that was proved last
	doubt  bool   // an earlier attempt may have been applied
}

// try reads, decides and writes once.
func (c *ownChange) try(ctx context.Context) error {
	read, address, refusal := c.read(ctx)
	if c.doubt {
		// A lost attempt may have been applied before the reason for the refusal arose. If it was not, it never will be:
		// each such reason has raised the number of the user's changes.
		if applied, err := c.applied(ctx); applied || err != nil {
			return err
		}
	}
	if refusal != nil {
		return refusal
	}
	t := c.Table.Begin()
	if err := c.write(t, *read, address); err != nil {
		return err
	}
	err := t.Commit(ctx)
	c.doubt = c.doubt || t.InDoubt()
	return err
}

// read reads the account, and then the hash of its password, which is the account's if the account is as read. It
// returns a refusal unless the account is active and the caller has proved to know the password.
func (c *ownChange) read(ctx context.Context) (*game.Account, *records.ReservationItem, error) {
	account, err := c.Account(ctx, c.user)
	switch {
	case err != nil:
		return nil, nil, err
	case account == nil || account.Status != game.UserActive:
		return nil, nil, game.ErrUnauthorized
	}
	address, err := c.AddressOf(ctx, *account)
	switch {
	case err != nil:
		return nil, nil, err
	case address.PasswordHash == "" && c.passwordOnly:
		return nil, nil, game.ErrOAuthAccount
	case address.PasswordHash == c.proved:
		return account, address, nil
	}
	if err := c.prove(address.PasswordHash); err != nil {
		return nil, nil, err
	}
	c.proved = address.PasswordHash
	return account, address, nil
}
