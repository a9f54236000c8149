package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

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
	deleting, cancel := context.WithTimeout(ctx, deletionPatience)
	defer cancel()
	err = o.make(deleting, "delete user", subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		values := attributes{":deleted": str(string(game.UserDeleted)), ":sn": number(account.StatusChanges + 1)}
		condition := statusAsRead(values, *account) + " AND " + asRead(values, "vf", account.SessionsFrom)
		t.update(userKey(user), "SET st = :deleted, sn = :sn REMOVE em, un, ll, vf, r", condition, values, errStale)
		t.put(pendingItem{pendingNamesKey(user), o.change.At}, "", nil, nil)
		for _, name := range []key{emailKey(account.Email), usernameKey(account.Username)} {
			t.delete(name, "u = :user", attributes{":user": str(string(user))}, errNotReserved)
		}
		return newUserState(account), userState{Status: game.UserDeleted}, nil
	})
	if err != nil && !errors.Is(err, ErrDeletedUser) {
		return 0, err
	}
	if entries, err = o.store.finishDeletion(ctx, user); err != nil {
		return 0, fmt.Errorf("the user is deleted, but an entry may still have the name; delete the user again: %w", err)
	}
	return entries, nil
}

// deletionPatience bounds a deletion but for its entries.
const deletionPatience = 20 * time.Second

// errNotReserved would mean that a user has a name which leads to nobody, or somebody else.
var errNotReserved = errors.New("the user's names are not theirs: the table is damaged")

// finishDeletion takes the name of a deleted user from their entries, which are then pending no more, and returns how
// many entries there are.
func (s *Store) finishDeletion(ctx context.Context, user game.ID) (entries int, err error) {
	if entries, err = s.hideName(ctx, user); err == nil {
		_, err = s.deleteItem(ctx, pendingNamesKey(user))
	}
	return entries, err
}

// hideName takes the name of a deleted user from their entries, and returns how many there are. It looks twice, some
// time apart: an entry that was applied just before the deletion may still be becoming visible. No more can come.
func (s *Store) hideName(ctx context.Context, user game.ID) (int, error) {
	hidden := map[key]bool{}
	for look := 1; ; look++ {
		complete, err := s.hideNameIn(ctx, user, hidden)
		if err != nil {
			return 0, err
		}
		switch {
		case look >= 2 && complete:
			return len(hidden), nil
		case look >= 2+entryRereads:
			return 0, errNotVisible
		}
		if err := pause(ctx, settling); err != nil {
			return 0, err
		}
	}
}

// hideNameIn takes the name from all entries that there are and that are not yet known as hidden. It returns false
// where one is not visible yet.
func (s *Store) hideNameIn(ctx context.Context, user game.ID, hidden map[key]bool) (complete bool, err error) {
	shows, complete, err := s.participations(ctx, user)
	if err != nil {
		return false, err
	}
	var keys []key
	for show, animals := range shows {
		for _, animal := range animals {
			if k := entryKey(show.ID, animal, show.Gates); !hidden[k] {
				keys = append(keys, k)
			}
		}
	}
	there := make([]bool, len(keys))
	group, hiding := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i, k := range keys {
		group.Go(func() error {
			var err error
			there[i], err = s.hideNameOf(hiding, user, k)
			return err
		})
	}
	err = group.Wait()
	var renamed []game.ID // shows
	for i, k := range keys {
		if there[i] {
			hidden[k] = true
			renamed = append(renamed, showIn(k.PK))
		}
		complete = complete && there[i]
	}
	slices.Sort(renamed)
	for _, show := range slices.Compact(renamed) {
		if err == nil {
			err = s.hideNameInResults(ctx, user, show)
		}
	}
	return complete, err
}

// hideNameInResults takes the name of a user, whose entries have it no more, from the pages of results. A judging under
// way may have read the entries before: the number that it raises in an open show has that judging read them again.
func (s *Store) hideNameInResults(ctx context.Context, user, show game.ID) error {
	err := s.raiseRenamed(ctx, show)
	if !errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return err
	}
	item, err := get[showItem](ctx, s, showKey(show))
	if err != nil || item == nil {
		return err
	}
	placings, err := s.standings(ctx, user, []*showItem{item}) // none if the show is not completed
	if err != nil {
		return err
	}
	for _, p := range placings[show] {
		if err := s.hideNameOnPage(ctx, item.verdict(), p.place); err != nil {
			return err
		}
	}
	return nil
}

// raiseRenamed raises the number of renamings of an open show. Any other show fails its condition. 1 WCU.
func (s *Store) raiseRenamed(ctx context.Context, show game.ID) error {
	return s.updateAgain(ctx, showKey(show), "ADD rn :one", "st = :open", attributes{":one": number(1), ":open": str(string(game.ShowOpen))})
}

// hideNameOnPage takes the name from one entry of a page. It returns an error if there is no such page. 6 WCU.
func (s *Store) hideNameOnPage(ctx context.Context, v verdict, place int) error {
	expression := fmt.Sprintf("SET un[%d] = :nobody", place%pagePlaces)
	return s.updateAgain(ctx, v.pageKey(place/pagePlaces), expression, "", attributes{":nobody": str(game.DeletedPlayer)})
}

// updateAgain changes one item in a way that may be repeated, so that it needs no transaction.
func (s *Store) updateAgain(ctx context.Context, k key, expression, condition string, values attributes) error {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	_, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: k.attributes(), UpdateExpression: &expression, ConditionExpression: optional(condition),
		ExpressionAttributeValues: values,
	})
	return err
}

// hideNameOf takes the name from one entry, false if there is none of the user's. 1 WCU.
func (s *Store) hideNameOf(ctx context.Context, user game.ID, entry key) (there bool, err error) {
	err = s.updateAgain(ctx, entry, "SET un = :nobody", "u = :user", attributes{":nobody": str(game.DeletedPlayer), ":user": str(string(user))})
	if errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return false, nil
	}
	return err == nil, err
}
