package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// UserChange says what to change of a user; what is nil stays as it is.
type UserChange struct {
	Email     *string // lower-cased
	Username  *string
	RanchName *string
}

// Apply returns the account as the change makes it, and what the change sets, as records say it. A ranch that there is
// none of has no name.
func (c UserChange) Apply(a game.Account) (changed game.Account, set []string) {
	put := func(field string, value *string, into *string) {
		if value != nil && *value != *into {
			*into, set = *value, append(set, field)
		}
	}
	put(game.FieldEmail, c.Email, &a.Email)
	put(game.FieldUsername, c.Username, &a.Username)
	if a.Ranch != nil {
		ranch := *a.Ranch
		a.Ranch = &ranch
		put(game.FieldRanchName, c.RanchName, &a.Ranch.Name)
	}
	return a, set
}

var (
	// ErrNoRanch means that a user has no ranch, since they sign in elsewhere.
	ErrNoRanch = errors.New("the user has no ranch")
	// errSameNames means that the user is called so already.
	errSameNames = errors.New("the user is called so already")
)

// SetUser changes a user's e-mail address, username and ranch's name, and returns how many of the user's entries show
// the username, if that is to change. It returns game.ErrTaken if the address or the username belongs to somebody
// else. Of a user who is called so already it writes no record, and only looks after the entries.
//
// The conditions of the write, and the race each stops:
//
//	user              no operator's change since  another change of names, a reset, a ban, a deletion
//	old reservations  theirs, hash as read        a hash that a log-in brings in between, and would be lost
//	new reservations  must not exist              somebody else takes the name
//
// It raises StatusChanges, which is a condition of all that players write: an entry under way fails, reads again and is
// written under the new username, and a log-in by the old address fails. Entries that have committed before get the
// username one by one, in transactions on the condition that the user is still called so. So the last one of two
// simultaneous changes shows; entries is 0 for the other one. The entries are found as DeleteUser finds them. If that
// fails, the user has the new username and an entry may show the old one. Finish goes on from there, and so does the
// same change, also under another id. Access tokens have the old names until the next refresh.
func (o Operator) SetUser(ctx context.Context, user game.ID, c UserChange) (entries int, err error) {
	naming, cancel := context.WithTimeout(ctx, namePatience)
	defer cancel()
	err = o.make(naming, "set user", subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
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
		changed.StatusChanges++
		values := attributes{":em": str(changed.Email), ":un": str(changed.Username), ":sn": number(changed.StatusChanges)}
		update := "SET em = :em, un = :un, sn = :sn"
		if slices.Contains(set, game.FieldRanchName) {
			update += ", r.n = :ranch"
			values[":ranch"] = str(changed.Ranch.Name)
		}
		t.update(userKey(user), update, statusAsRead(values, *account), values, errStale)
		if changed.Email != account.Email {
			address, err := o.address(ctx, *account)
			if err != nil {
				return nil, nil, err
			}
			condition, values := address.asRead()
			t.delete(address.key, condition, values, errStale)
			t.create(reservationItem{key: emailKey(changed.Email), User: user, PasswordHash: address.PasswordHash}, game.ErrTaken)
		}
		if changed.Username != account.Username {
			t.delete(usernameKey(account.Username), "u = :user", attributes{":user": str(string(user))}, errNotReserved)
			t.create(reservationItem{key: usernameKey(changed.Username), User: user}, game.ErrTaken)
			t.put(pendingItem{pendingNamesKey(user), o.change.At, changed.StatusChanges}, "", nil, nil)
		}
		return nil, namesSet{set}, nil
	})
	switch {
	case errors.Is(err, errSameNames):
	case errors.Is(err, game.ErrTaken) && !errors.Is(err, ErrUnclear):
		return 0, game.ErrTaken
	case err != nil:
		return 0, err
	}
	if c.Username == nil {
		return 0, nil
	}
	entries, err = o.store.finishNames(ctx, user, *c.Username)
	if errors.Is(err, errRenamed) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("the user is renamed, but an entry may still have the old name; set the username again: %w", err)
	}
	return entries, nil
}

// namesSet is what records say of new names: which were set, and never a name itself, since records outlive users.
type namesSet struct {
	Set []string `json:"set"`
}
