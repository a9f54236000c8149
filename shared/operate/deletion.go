package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// DeleteUser deletes a user. The e-mail address and the username become free. The table keeps no name of the user
// except the names of their animals. Status, balance, ledger, animals and entries stay under the user's id, since other
// records depend on them; the entries show game.DeletedPlayer as the username. DeleteUser returns the number of the
// user's entries. If the user was deleted before, it only renames the entries. It returns ErrUnknownUser if the user
// never existed. The deletion takes at most NamePatience; only ctx limits the renaming of all entries.
//
// The write is store.AddDeletion's. After it, DeleteUser finds earlier entries by their participations. It looks twice,
// 0.3 s apart, so that all of them are visible. It renames the entries first, and then the results. If
// the renaming fails, the user is deleted, and an entry may still show the name. Finish or another DeleteUser, under any
// id, completes the renaming.
func (o Operator) DeleteUser(ctx context.Context, user game.ID) (entries int, err error) {
	deleting, cancel := context.WithTimeout(ctx, store.NamePatience)
	defer cancel()
	err = o.make(deleting, "delete user", subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		store.AddDeletion(t, *account, o.change.At)
		return newUserState(account), userState{Status: game.UserDeleted}, nil
	})
	if err != nil && !errors.Is(err, ErrDeletedUser) {
		return 0, err
	}
	if entries, err = o.desk.FinishNames(ctx, user, game.DeletedPlayer); err != nil {
		return 0, fmt.Errorf("the user is deleted, but entries in shows may still have the user's name (delete the user again): %w", err)
	}
	return entries, nil
}
