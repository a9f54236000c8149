package operate

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// CreateExternalAccount writes an account as an external sign-in makes it: the user and the reservations of both names,
// and nothing else. It returns game.ErrTaken if the e-mail address or the username belongs to another user.
func (o Operator) CreateExternalAccount(ctx context.Context, a game.Account) error {
	err := o.make(ctx, "create user", subjectUser(a.ID), func(_ context.Context, t *table.Transaction) (before, after any, err error) {
		store.AddAccount(t, a, "")
		return nil, newUserState(&a), nil
	})
	if errors.Is(err, ErrUnclear) {
		return err
	}
	return store.TakenOnce(err)
}

// WithPassword returns which of the accounts have a password, by id. Deleted users are left out. 1 RCU for each other.
func (d Desk) WithPassword(ctx context.Context, accounts ...game.Account) (map[game.ID]bool, error) {
	var addresses []table.Key
	for _, a := range accounts {
		if a.Status != game.UserDeleted {
			addresses = append(addresses, records.EmailKey(a.Email))
		}
	}
	found, err := d.table.BatchGet(ctx, "", addresses...)
	with := map[game.ID]bool{}
	for k := range found {
		reservation, readErr := table.In[records.ReservationItem](found, k)
		if readErr != nil {
			return nil, readErr
		}
		with[reservation.User] = reservation.PasswordHash != ""
	}
	return with, err
}

func subjectUser(id game.ID) string { return "user " + string(id) }

// userState is the state of a user in audit records. It has no personal data.
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

// user reads a user for a change. It returns ErrUnknownUser if there is no such user, and ErrDeletedUser if deleted.
func (o Operator) user(ctx context.Context, id game.ID) (*game.Account, error) {
	account, err := o.desk.Account(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case account == nil:
		return nil, store.ErrUnknownUser
	case account.Status == game.UserDeleted:
		return nil, ErrDeletedUser
	}
	return account, nil
}

// Ban bans a user, and revokes their sessions as RevokeSessions does, in one write. After Ban has returned, no change
// by the user that was under way commits, also not after an unban. A judging by the user may still make others wait
// until its lease ends. Like the other changes of users, it returns ErrUnknownUser and ErrDeletedUser.
func (o Operator) Ban(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "ban", user, func(a *game.Account) {
		a.Status, a.SessionsFrom = game.UserBanned, a.Revocation(o.change.At)
		a.Changes++
	})
}

// Unban makes a banned user active. Access tokens that have not expired work again; revoked sessions stay revoked.
func (o Operator) Unban(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "unban", user, func(a *game.Account) {
		a.Status = game.UserActive
		a.Changes++
	})
}

// RevokeSessions ends the user's sessions that began at the change's instant or before: their refresh tokens are no
// longer accepted. Access tokens stay valid until they expire.
//
// If a login began before the change and races with it, the login's session is revoked, whichever of the two commits
// first. If a login has committed before, its session is revoked even if its clock says that it began later.
func (o Operator) RevokeSessions(ctx context.Context, user game.ID) error {
	return o.changeUser(ctx, "revoke sessions", user, func(a *game.Account) { a.SessionsFrom = a.Revocation(o.change.At) })
}

// ErrNoPassword means that a user has no password, since they sign in elsewhere.
var ErrNoPassword = errors.New("the user signs in through another provider, and has no password")

// ResetPassword replaces the hash of the user's password, and revokes their sessions as RevokeSessions does, in one
// write (see store.AddPassword). It returns ErrNoPassword if the user has no password.
func (o Operator) ResetPassword(ctx context.Context, user game.ID, hash string) error {
	return o.make(ctx, "reset password", subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		address, err := o.desk.AddressOf(ctx, *account)
		switch {
		case err != nil:
			return nil, nil, err
		case address.PasswordHash == "":
			return nil, nil, ErrNoPassword
		}
		changed := store.AddPassword(t, *account, address, hash, o.change.At)
		return newUserState(account), newUserState(&changed), nil
	})
}

// changeUser changes a user's status and "valid from" (see store.AddStatus).
func (o Operator) changeUser(ctx context.Context, action string, user game.ID, change func(*game.Account)) error {
	return o.make(ctx, action, subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		changed := *account
		change(&changed)
		store.AddStatus(t, *account, changed)
		return newUserState(account), newUserState(&changed), nil
	})
}
