package operate

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

var errCancelled = errors.New("the show is cancelled already")

// CancelShow cancels an open show; nothing reopens it. The lists of open shows then lack the show, it accepts no
// entries, and it is never judged. Its entries stay, and Refund gives their fees back. If the show is cancelled
// already, CancelShow writes nothing, waits 0.3 s until the cancellation is visible, and returns nil. It returns
// ErrUnknownShow if there is no such show, ErrNotOpen if it has been judged, and a DamagedShow if a gate stays missing.
//
// The conditions of the write, and the race each stops:
//
//	show  open                  a judging in between
//	show  terms as read         a change of the show in between, which gives its board rows and gates other keys
//	gate  count as read         an entry in between, which the show's count would leave out; since the gates are
//	                            deleted, all entries under way fail
//
// From its second attempt on, CancelShow first takes the show's lease (a lock with a time limit), so that entries wait.
// If another call has the lease, CancelShow waits until that call ends or its lease expires.
func (o Operator) CancelShow(ctx context.Context, show game.ID) error {
	opened := o.desk.newOpening(show)
	defer opened.lease.GiveUp(ctx)
	err := o.make(ctx, "cancel show", subjectShow(show), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		item, gates, err := opened.read(ctx, t)
		if errors.Is(err, ErrNotOpen) && item.Status == game.ShowCancelled {
			return nil, nil, errCancelled
		}
		if err != nil {
			return nil, nil, err
		}
		total := store.CountOf(gates)
		open, cancelled := item.Show(), item.Show()
		cancelled.Status = game.ShowCancelled
		t.Update(item.Key, records.Cancelled(total), item.OpenAsRead(), table.ErrStale)
		fields := records.NewShowFields(cancelled, item.Gates, total)
		for _, tier := range []string{"", open.Tier} {
			t.Remove(records.BoardKey(game.ShowOpen, tier, open))
			t.Replace(records.BoardItem{Key: records.BoardKey(game.ShowCancelled, tier, open), ShowFields: fields})
			t.Replace(records.BoardItem{Key: records.BoardKey("", tier, open), ShowFields: fields})
		}
		t.Replace(records.PendingItem{Key: records.PendingRefundsKey(show), Since: o.change.At, Renamed: 0})
		for _, gate := range gates {
			t.Delete(gate.Key, gate.AsRead(), table.ErrStale)
		}
		return game.ListedShow{Show: open, EntryCount: total}, game.ListedShow{Show: cancelled, EntryCount: total}, nil
	})
	if errors.Is(err, errCancelled) { // also with ErrUnclear: whichever call did it, the show is cancelled
		return becomeVisible(ctx)
	}
	return err
}

// Refund gives back the fees of a cancelled show, as Store.Refund does. It writes no record.
func (o Operator) Refund(ctx context.Context, show game.ID, progress func(settled, entries int)) error {
	return o.desk.Store.Refund(ctx, show, o.change.At, progress)
}
