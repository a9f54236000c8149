package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// DeleteUser deletes a user. Their names become free, and nothing that names them stays in the table, except the names
// of their animals. The status, the balance and the ledger stay under the id alone, since other records depend on them.
// So do the animals and the entries, which show game.DeletedPlayer as the username. If the user was deleted before,
// DeleteUser only renames the entries. It returns the number of the user's entries, and ErrUnknownUser if there never
// was such a user. namePatience bounds the deletion, and nothing bounds the renaming of all entries.
//
// The conditions of the write, and the race each stops:
//
//	user          status, "valid from" as read   another deletion, a ban, a revocation: for the record
//	reservations  lead to this user              another user has taken a name since
//
// Other writes to the user in between are either removed with the rest, such as a login's time and hash, or stay, such
// as gold. One transaction sets the status and deletes the hash, with the reservation of the e-mail address. A login
// that has read the hash before fails by the status. After it, no change by the user commits, since all of them require
// an active user. DeleteUser finds earlier entries by their participations. It looks twice, with time between for all
// of them to become visible. It renames the entries first and then the results. A judging that has read the entries
// before can then no longer complete the show, and the show's item leads to the results of a completed show. If the
// renaming fails, the user is deleted, and an entry may still show the name. Repeating the deletion, also under another
// id, or Finish completes it.
func (o Operator) DeleteUser(ctx context.Context, user game.ID) (entries int, err error) {
	deleting, cancel := context.WithTimeout(ctx, namePatience)
	defer cancel()
	err = o.make(deleting, "delete user", subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		values := attributes{":deleted": str(string(game.UserDeleted)), ":sn": number(account.StatusChanges + 1)}
		condition := statusAsRead(values, *account) + " AND " + asRead(values, "vf", account.SessionsFrom)
		t.update(userKey(user), "SET st = :deleted, sn = :sn REMOVE em, un, ll, vf, r", condition, values, errStale)
		t.put(pendingItem{pendingNamesKey(user), o.change.At, account.StatusChanges + 1}, "", nil, nil)
		for _, name := range []key{emailKey(account.Email), usernameKey(account.Username)} {
			t.delete(name, "u = :user", attributes{":user": str(string(user))}, errNotReserved)
		}
		return newUserState(account), userState{Status: game.UserDeleted}, nil
	})
	if err != nil && !errors.Is(err, ErrDeletedUser) {
		return 0, err
	}
	if entries, err = o.store.finishNames(ctx, user, game.DeletedPlayer); err != nil {
		return 0, fmt.Errorf("the user is deleted, but entries in shows may still have the user's name (delete the user again): %w", err)
	}
	return entries, nil
}

// errNotReserved means that the reservation of a user's name is missing or leads to another user. Only a damaged table
// has this.
var errNotReserved = errors.New("the user's names are not reserved for them: the table is damaged")
