package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
)

// CreateExternalAccount writes an account as an external sign-in makes it: its reservations and itself, and nothing
// else. It returns game.ErrTaken when the e-mail address or the username belongs to somebody.
func (o Operator) CreateExternalAccount(ctx context.Context, a game.Account) error {
	err := o.make(ctx, "create user", subjectUser(a.ID), func(_ context.Context, t *transaction) (before, after any, err error) {
		t.addAccount(a, "")
		return nil, newUserState(&a), nil
	})
	if errors.Is(err, ErrUnclear) {
		return err
	}
	return takenOnce(err)
}

// WithPassword returns which of the accounts have a password, by their ids. 1 RCU for each account.
func (s *Store) WithPassword(ctx context.Context, accounts ...game.Account) (map[game.ID]bool, error) {
	var addresses []key
	for _, a := range accounts {
		if a.Status != game.UserDeleted {
			addresses = append(addresses, emailKey(a.Email))
		}
	}
	found, err := s.batchGet(ctx, "", addresses...)
	with := map[game.ID]bool{}
	for k := range found {
		reservation, readErr := in[reservationItem](found, k)
		if readErr != nil {
			return nil, readErr
		}
		with[reservation.User] = reservation.PasswordHash != ""
	}
	return with, err
}

func subjectUser(id game.ID) string { return "user " + string(id) }

// userState is what records say of a user: nothing that stands for a person.
type userState struct {
	Status       game.UserStatus `json:"status"`
	SessionsFrom *game.Instant   `json:"sessionsFrom,omitempty"`
}

func newUserState(a *game.Account) userState {
	state := userState{Status: a.Status}
	if a.SessionsFrom > 0 {
		state.SessionsFrom = &a.SessionsFrom
	}
	return state
}

// user reads a user who is to be changed. It returns ErrUnknownUser when there is none, and ErrDeletedUser when there
// is none any more.
func (o Operator) user(ctx context.Context, id game.ID) (*game.Account, error) {
	account, err := o.store.Account(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case account == nil:
		return nil, ErrUnknownUser
	case account.Status == game.UserDeleted:
		return nil, ErrDeletedUser
	}
	return account, nil
}

// Ban bans a user, and revokes their sessions as RevokeSessions does, in one write. Once it has returned, no change by
// the user commits that was under way, also not after an unban; a judging by them may still make others wait for some
// seconds (see lease). It returns ErrUnknownUser when there is none, and ErrDeletedUser when there is none any
// more, as the other changes of users do.
func (o Operator) Ban(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "ban", user, func(a *game.Account) {
		a.Status, a.SessionsFrom = game.UserBanned, a.Revocation(o.change.At)
		a.StatusChanges++
	})
}

// Unban lets a banned user be active again, with the access tokens that have not expired; what was revoked stays
// revoked.
func (o Operator) Unban(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "unban", user, func(a *game.Account) {
		a.Status = game.UserActive
		a.StatusChanges++
	})
}

// RevokeSessions ends the user's sessions that began before the change, or at that very instant: their refresh tokens
// are accepted no more.
//
// A login that races with it and began before brings a session that is revoked, whichever commits first. One that has
// committed is revoked whatever it says about when it began.
func (o Operator) RevokeSessions(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "revoke sessions", user, func(a *game.Account) { a.SessionsFrom = a.Revocation(o.change.At) })
}

// ErrNoPassword means that a user has no password, since they sign in elsewhere.
var ErrNoPassword = errors.New("the user signs in elsewhere, and has no password")

// ResetPassword puts a password with the hash in place of the user's, and revokes their sessions as RevokeSessions
// does, in one write. A log-in with the password of before that was under way fails. It returns ErrNoPassword if
// there was none.
//
// The hash of before is a guard, too: another password in between is not undone, and a hash that a log-in brings for
// the old password does not outlive it.
func (o Operator) ResetPassword(ctx context.Context, user game.ID, hash string) error {
	return o.changeUserWith(ctx, "reset password", user, func(ctx context.Context, t *transaction, a *game.Account) error {
		address, err := o.address(ctx, *a)
		if err != nil {
			return err
		}
		if address.PasswordHash == "" {
			return ErrNoPassword
		}
		condition, values := address.asRead()
		values[":hash"] = str(hash)
		t.update(address.key, "SET ph = :hash", condition, values, errStale)
		a.SessionsFrom = a.Revocation(o.change.At)
		a.StatusChanges++
		return nil
	})
}

// address reads the reservation of an account's e-mail address. It returns errStale if they have got another address
// since the account was read, and errNotReserved if the table is damaged.
func (o Operator) address(ctx context.Context, a game.Account) (*reservationItem, error) {
	address, err := get[reservationItem](ctx, o.store, emailKey(a.Email))
	if err == nil && (address == nil || address.User != a.ID) { // it may be becoming visible, or have gone
		address, err = getSettled[reservationItem](ctx, o.store, emailKey(a.Email))
	}
	if err != nil || address != nil && address.User == a.ID {
		return address, err
	}
	now, err := getSettled[userItem](ctx, o.store, userKey(a.ID))
	switch {
	case err != nil:
		return nil, err
	case now == nil || now.StatusChanges != a.StatusChanges:
		return nil, errStale
	}
	return nil, errNotReserved
}

// asRead is the condition that the reservation leads to the same user, with the same hash.
func (i *reservationItem) asRead() (condition string, values attributes) {
	values = attributes{":user": str(string(i.User))}
	if i.PasswordHash == "" {
		return "u = :user AND attribute_not_exists(ph)", values
	}
	values[":seen"] = str(i.PasswordHash)
	return "u = :user AND ph = :seen", values
}

// changeUser changes a user's status and "valid from".
func (o Operator) changeUser(ctx context.Context, action string, user game.ID, change func(*game.Account)) error {
	return o.changeUserWith(ctx, action, user, func(_ context.Context, _ *transaction, a *game.Account) error {
		change(a)
		return nil
	})
}

// changeUserWith changes a user's status and "valid from", and what else change adds to the transaction. The condition
// of the write holds off whatever came after the read: another such change, and a login, which is one of the sessions
// to revoke.
func (o Operator) changeUserWith(
	ctx context.Context, action string, user game.ID, change func(context.Context, *transaction, *game.Account) error,
) error {
	return o.make(ctx, action, subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		changed := *account
		if err := change(ctx, t, &changed); err != nil {
			return nil, nil, err
		}
		update, values := "SET st = :st", attributes{":st": str(string(changed.Status))}
		if changed.StatusChanges > 0 { // a number of 0 is none
			update += ", sn = :sn"
			values[":sn"] = number(changed.StatusChanges)
		}
		if changed.SessionsFrom > 0 {
			update += ", vf = :vf"
			values[":vf"] = number(changed.SessionsFrom)
		}
		condition := statusAsRead(values, *account) + " AND " + asRead(values, "vf", account.SessionsFrom) +
			" AND " + asRead(values, "ll", orZero(account.LastLoginAt))
		t.update(userKey(user), update, condition, values, errStale)
		return newUserState(account), newUserState(&changed), nil
	})
}

func orZero(i *game.Instant) game.Instant {
	if i == nil {
		return 0
	}
	return *i
}
