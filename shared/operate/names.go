package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// UserChange is a change of a user's names. Fields that are nil change nothing.
type UserChange struct {
	Email     *string // in lower case
	Username  *string
	RanchName *string
}

// Apply returns the changed account, and the names of the fields that change. It ignores RanchName without a ranch.
func (c UserChange) Apply(a game.Account) (changed game.Account, set []string) {
	put := func(field string, value *string, into *string) {
		if value != nil && *value != *into {
			*into, set = *value, append(set, field)
		}
	}
	put(game.FieldEmail, c.Email, &a.Email)
	put(game.FieldUsername, c.Username, &a.Username)
	if a.Ranch != nil {
		a.Ranch = new(*a.Ranch)
		put(game.FieldRanchName, c.RanchName, &a.Ranch.Name)
	}
	return a, set
}

var (
	// ErrNoRanch means that a user has no ranch, since they sign in elsewhere.
	ErrNoRanch   = errors.New("the user has no ranch")
	errSameNames = errors.New("the user has these names already")
)

// SetUser changes a user's e-mail address, username and ranch's name. If c sets the username, SetUser returns the
// number of the user's entries, which then show it, and 0 otherwise. It returns game.ErrTaken if the address or the
// username belongs to another user, ErrNoRanch if c has a name for a missing ranch, ErrUnknownUser, and ErrDeletedUser.
// If the user has these names already, SetUser writes no record, and only renames the entries.
//
// The conditions of the write, and the race each stops:
//
//	user              no operator's change since  another change of names, a reset, a ban, a deletion
//	old reservations  the user's, hash as read    a log-in writes a hash in between, which would be lost
//	new reservations  must not exist              another user takes the name
//
// SetUser raises Changes, which entries, judgings, claims and log-ins have as a condition. So an entry under way
// fails, reads again and gets the new username, and a log-in by the old address fails. SetUser finds earlier entries as
// DeleteUser does. It renames each in a transaction that requires that the user still has the username. So after two
// simultaneous changes the entries show the last name, and the call that finds another name returns 0. If the renaming
// fails, the user has the new username, and an entry may still show the old one. Finish or the same change, under any
// id, completes the renaming. Access tokens have the old names until the next refresh.
func (o Operator) SetUser(ctx context.Context, user game.ID, c UserChange) (entries int, err error) {
	naming, cancel := context.WithTimeout(ctx, store.NamePatience)
	defer cancel()
	err = o.make(naming, "set user", subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		changed, set := c.Apply(*account)
		switch {
		case c.RanchName != nil && account.Ranch == nil:
			return nil, nil, ErrNoRanch
		case len(set) == 0:
			return nil, nil, errSameNames
		}
		changed.Changes++
		renamed := records.Renamed(changed, slices.Contains(set, game.FieldRanchName))
		t.Update(records.UserKey(user), renamed, records.UserAsRead(*account), table.ErrStale)
		if changed.Email != account.Email {
			address, err := o.desk.AddressOf(ctx, *account)
			if err != nil {
				return nil, nil, err
			}
			store.AddAddress(t, address, changed.Email)
		}
		if changed.Username != account.Username {
			t.Delete(records.UsernameKey(account.Username), records.OfUser(user), store.ErrNotReserved)
			t.Create(records.ReservationItem{Key: records.UsernameKey(changed.Username), User: user}, game.ErrTaken)
			t.Replace(records.PendingItem{Key: records.PendingNamesKey(user), Since: o.change.At, Renamed: changed.Changes})
		}
		return nil, namesSet{set}, nil
	})
	switch {
	case errors.Is(err, errSameNames):
	case errors.Is(err, ErrUnclear):
		return 0, err
	case err != nil:
		return 0, store.TakenOnce(err)
	}
	if c.Username == nil {
		return 0, nil
	}
	entries, err = o.desk.FinishNames(ctx, user, *c.Username)
	if errors.Is(err, store.ErrRenamed) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("the user is renamed, but an entry may still have the old name; set the username again: %w", err)
	}
	return entries, nil
}

// namesSet is a change of names in audit records: which fields were set. Records outlive users, so it has no name.
type namesSet struct {
	Set []string `json:"set"`
}
