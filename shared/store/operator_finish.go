package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// pendingItem notes that an operator's change has begun work which takes more than one transaction. The change's
// transaction writes it. The end of the work deletes it.
type pendingItem struct {
	key
	Since game.Instant `dynamodbav:"ca"` // when the change was begun
}

func (i *pendingItem) work() PendingWork {
	if user, ok := strings.CutPrefix(string(i.SK), string(pendingNamesPrefix)); ok {
		return PendingWork{WorkNames, "", game.ID(user), i.Since, 0}
	}
	return PendingWork{WorkRefunds, idIn(i.SK), "", i.Since, 0}
}

// Unfinished returns the refunds and deletions that operators have begun and that are not finished, the oldest first,
// without what is left of each. It does not scan: one round trip, 1 RCU for about 50 of them.
func (s *Store) Unfinished(ctx context.Context) ([]PendingWork, error) {
	items, err := s.queryAll(ctx, span{PK: pendingPK})
	if err != nil {
		return nil, err
	}
	all, err := decodeAll(items, (*pendingItem).work)
	slices.SortStableFunc(all, func(a, b PendingWork) int { return int(a.Since - b.Since) })
	return all, err
}

// Finish goes on with work that Unfinished has returned, until it is finished: with Refund, or as DeleteUser does. It
// may be interrupted and called again, and may run beside the operator's command. Rows of ledgers get the time now. It
// returns false for work that it must leave: what the note is about is not visible yet, or the table is damaged. Its
// errors are those of Refund, and faults.
func (s *Store) Finish(ctx context.Context, w PendingWork, now game.Instant) (finished bool, err error) {
	if w.Work == WorkNames {
		account, err := s.Account(ctx, w.User)
		if err != nil || account == nil || account.Status != game.UserDeleted {
			return false, err
		}
		_, err = s.finishDeletion(ctx, w.User)
		return err == nil, err
	}
	if err := s.Operator(Change{At: now}).Refund(ctx, w.Show, nil); err != nil {
		if errors.Is(err, ErrNotCancelled) || errors.Is(err, ErrUnknownShow) {
			err = nil
		}
		return false, err
	}
	_, err = s.deleteItem(ctx, pendingRefundsKey(w.Show)) // a restored table may have both the note and the end
	return err == nil, err
}

// noteRefunds notes the refunds that are pending and not noted, as a restored table may have them. It costs what
// pendingRefunds does, and 5 WCU for each note.
func (s *Store) noteRefunds(ctx context.Context, now game.Instant) error {
	refunds, err := s.pendingRefunds(ctx)
	if err != nil {
		return err
	}
	for _, w := range refunds {
		t := s.begin()
		t.check(showKey(w.Show), "st = :cancelled AND attribute_not_exists(rf)", attributes{":cancelled": str(string(game.ShowCancelled))}, errRefunded)
		t.create(pendingItem{pendingRefundsKey(w.Show), now}, errNoted)
		if err := s.commit(ctx, t); err != nil && !errors.Is(err, errRefunded) && !errors.Is(err, errNoted) {
			return fmt.Errorf("note the refunds of %s: %w", w.Show, err)
		}
	}
	return nil
}

// errNoted means that the work is noted already.
var errNoted = errors.New("the work is noted already")
