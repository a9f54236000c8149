package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

func workOf(i *records.PendingItem) PendingWork {
	if user, ok := strings.CutPrefix(string(i.SK), string(records.PendingNamesPrefix)); ok {
		return PendingWork{Work: WorkNames, User: game.ID(user), Since: i.Since}
	}
	return PendingWork{Work: WorkRefunds, Show: records.IdIn(i.SK), Since: i.Since}
}

// Unfinished returns the refunds, renamings and deletions that were begun and are not finished, oldest first. Left, Name
// and Torn are not set. It reads only the notes of such work: one round trip, 1 RCU for about 50.
func (s *Store) Unfinished(ctx context.Context) ([]PendingWork, error) {
	all, err := table.QueryAs(ctx, s.Table, table.Span{PK: records.PendingPK}, workOf)
	slices.SortStableFunc(all, func(a, b PendingWork) int { return int(a.Since - b.Since) })
	return all, err
}

// Finish completes work that Unfinished has returned: it refunds as Refund does, or renames entries as DeleteUser,
// DeleteAccount and SetUser do. It may be interrupted and called again, and may run beside the call that began the work.
// The ledger rows of refunds get the time now. finished is false without an error if the change is not visible yet, a
// later change has renamed the user, or the show or user is missing. It returns the errors of Refund, ErrNotVisible, and
// faults.
func (s *Store) Finish(ctx context.Context, w PendingWork, now game.Instant) (finished bool, err error) {
	if w.Work == WorkNames {
		return s.finishNoted(ctx, w.User)
	}
	if err := s.Refund(ctx, w.Show, now, nil); err != nil {
		if errors.Is(err, ErrNotCancelled) || errors.Is(err, ErrUnknownShow) {
			err = nil
		}
		return false, err
	}
	// A restored table may have the note although the show says that all fees are given back. Refund then keeps it. A
	// later note, of refunds that a repair has begun again, stays.
	_, err = s.Table.Delete(ctx, records.PendingRefundsKey(w.Show), records.NotedAt(w.Since))
	return err == nil, err
}

// finishNoted renames the user's entries if the table has the note of a change of names. finished is also true without
// a note. It is false if the change is not visible yet (nothing is written) or a later change has renamed the user.
func (s *Store) finishNoted(ctx context.Context, user game.ID) (finished bool, err error) {
	note, err := table.Get[records.PendingItem](ctx, s.Table, records.PendingNamesKey(user))
	if err != nil || note == nil {
		return err == nil, err
	}
	account, err := s.Account(ctx, user)
	if err != nil || account == nil || account.Changes < note.Renamed {
		return false, err
	}
	_, err = s.putNames(ctx, note, entryNames{s, user, account.ShownName()})
	if errors.Is(err, ErrRenamed) {
		return false, nil
	}
	return err == nil, err
}

// FinishNames writes the name into the user's entries, deletes the note of this work, and returns how many there are.
func (s *Store) FinishNames(ctx context.Context, user game.ID, name string) (entries int, err error) {
	note, err := table.Get[records.PendingItem](ctx, s.Table, records.PendingNamesKey(user))
	if err != nil {
		return 0, err
	}
	return s.putNames(ctx, note, entryNames{s, user, name})
}

// HideName removes a deleted user's name from all entries, and returns how many there are. It leaves the note alone.
func (s *Store) HideName(ctx context.Context, user game.ID) (entries int, err error) {
	return entryNames{s, user, game.DeletedPlayer}.show(ctx)
}

// putNames is FinishNames with a note that was read before. It keeps the note of a later change of the user's name.
func (s *Store) putNames(ctx context.Context, note *records.PendingItem, names entryNames) (entries int, err error) {
	entries, err = names.show(ctx)
	if err != nil || note == nil {
		return entries, err
	}
	_, err = s.Table.Delete(ctx, note.Key, records.NotedFor(note.Renamed))
	return entries, err
}

// NoteRefunds writes the missing notes of pending refunds, which a restored table may lack. It costs what
// PendingRefunds does, and 5 WCU for each note.
func (s *Store) NoteRefunds(ctx context.Context, now game.Instant) error {
	refunds, err := s.PendingRefunds(ctx)
	if err != nil {
		return err
	}
	for _, w := range refunds {
		t := s.Table.Begin()
		t.Check(records.ShowKey(w.Show), records.Unrefunded(), errRefunded)
		t.Create(records.PendingItem{Key: records.PendingRefundsKey(w.Show), Since: now, Renamed: 0}, errNoted)
		if err := t.Commit(ctx); err != nil && !errors.Is(err, errRefunded) && !errors.Is(err, errNoted) {
			return fmt.Errorf("note the refunds of %s: %w", w.Show, err)
		}
	}
	return nil
}

var errNoted = errors.New("the work is noted already")
