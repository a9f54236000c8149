package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// DeleteUser deletes a user: their names are free again, and nothing that names them stays in the table, but for the
// names of their animals. What others' records rest on stays: the status, the balance with the ledger under the id
// alone, the animals, and the entries, which show game.DeletedPlayer in place of the username. Of a user who has been
// deleted before it only looks after the entries. It returns how many there are, and ErrUnknownUser when there never
// was such a user. The entries take as long as they take; what comes before them is bounded.
//
// The conditions of the write, and the race each stops:
//
//	user          status, "valid from" as read   another deletion, a ban, a revocation: for the record
//	reservations  lead to this user              names that have become somebody else's
//
// Whatever else is written to the user in between is either removed with the rest, as a login's time and hash are, or
// stays, as gold does. The hash goes with the reservation of the e-mail address, in the same write as the status: a
// login that has read it before fails by the status. After it, no change by the user commits: all of them ask for an
// active one. Entries that have committed before are found by their participations, once more after so long that all of
// them are visible. The name goes from the entries first and then from results: a judging that has read the entries
// before cannot complete the show any more, and results of a completed show are found by the show's item. If that
// fails, the user is deleted and an entry may still have the name: making the deletion again, also under another id,
// goes on from there, and so does Finish.
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
		return 0, fmt.Errorf("the user is deleted, but an entry may still have the name; delete the user again: %w", err)
	}
	return entries, nil
}

// errNotReserved would mean that a user has a name which leads to nobody, or somebody else.
var errNotReserved = errors.New("the user's names are not theirs: the table is damaged")
