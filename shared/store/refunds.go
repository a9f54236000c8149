package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

const (
	// parallelRefunds is how many users get fees back at once.
	parallelRefunds = 16
	// refundPatience is the longest time for one refund: a player may be busy for longer.
	refundPatience = 20 * time.Second
	// silentRefunds is how many refunds in a row may run out of time before Refund takes the table for silent.
	silentRefunds = 2 * parallelRefunds
	// refundBatch is how many participations Refund reads at once, to leave out the settled ones.
	refundBatch = 1_000
)

// ErrNotCancelled means that a show is not cancelled, so that no fees are given back.
var ErrNotCancelled = errors.New("the show is not cancelled")

// Refund gives back the fees of all entries of a cancelled show, and then notes in the show that this is done. Each
// refund is a transaction of its own, and happens once: Refund may be interrupted and called again, and several calls
// may run at once. It writes no audit record; the rows of the ledgers are the record. After each entry it calls
// progress, which may be nil, with the numbers of settled entries and of all entries, one call at a time.
//
// A refund's conditions, and the race each stops:
//
//	user           ledger number and status as read  any other change of the balance; the user may have any status
//	participation  has a fee, no refund              another refund of the entry
//	ledger row     must not exist                    a second row with the same number
//
// Refund returns ErrUnknownShow or ErrNotCancelled. If some entries cannot be refunded, or are missing, it refunds all
// others and then returns an UnpaidError. It stops if ctx ends, or if silentRefunds refunds in a row get no answer in
// time. It reads the settled entries in batches: 100 cost one request, and half an RCU or 1 RCU each.
func (s *Store) Refund(ctx context.Context, show game.ID, now game.Instant, progress func(settled, entries int)) error {
	item, err := s.ShowItem(ctx, show)
	switch {
	case err != nil:
		return err
	case item == nil:
		return ErrUnknownShow
	case item.Status != game.ShowCancelled:
		return ErrNotCancelled
	case item.RefundedAt > 0:
		return nil
	}
	r := refundRun{store: s, show: item.Show(), now: now, progress: progress}
	if !r.show.Free() {
		if err := r.all(ctx, item); err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// UnpaidError has the entries whose fees could not be given back. All other entries in the table have their fees back.
type UnpaidError struct {
	Show    game.ID
	Entries int   // in the table now
	Counted int64 // counted by the cancellation: more if entries are missing
	Unpaid  []Unpaid
}

// Unpaid is an entry whose fee could not be given back.
type Unpaid struct {
	Player, Animal game.ID
	Err            error
}

// Error returns a summary, and a line for each unpaid entry.
func (e *UnpaidError) Error() string {
	var text strings.Builder
	missing := e.Counted - int64(e.Entries)
	fmt.Fprintf(&text, "there is no refund for %d of %d entries", int64(len(e.Unpaid))+max(0, missing), e.Counted)
	if missing != 0 {
		fmt.Fprintf(&text, ": %d were counted, %d are there", e.Counted, e.Entries)
	}
	for _, u := range e.Unpaid {
		fmt.Fprintf(&text, "\nanimal %s of user %s: %v", u.Animal, u.Player, u.Err)
	}
	return text.String()
}

// Unwrap returns the error of each unpaid entry, and a DamagedShow if Entries differs from Counted.
func (e *UnpaidError) Unwrap() []error {
	var all []error
	if int64(e.Entries) != e.Counted {
		all = append(all, miscounted(e.Show, e.Counted, int64(e.Entries)))
	}
	for _, u := range e.Unpaid {
		all = append(all, u.Err)
	}
	return all
}

// refundRun is one call of Refund.
type refundRun struct {
	store    *Store
	show     game.Show
	now      game.Instant
	progress func(settled, entries int)

	mu               sync.Mutex
	settled, entries int
	unpaid           []Unpaid
	silent           int // refunds that ran out of time, since the last other one
}

// all refunds all entries: up to parallelRefunds users at once, the entries of one user one after the other. If an
// entry cannot be refunded, it goes on with the next.
func (r *refundRun) all(ctx context.Context, item *records.ShowItem) error {
	byPlayer, err := r.unsettled(ctx, item)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelRefunds)
	for player, theirs := range byPlayer {
		group.Go(func() error {
			for _, p := range theirs {
				err := r.refund(ctx, player, p)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if r.count(Unpaid{player, records.IdIn(p.SK), err}) >= silentRefunds {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if len(r.unpaid) > 0 || int64(r.entries) != item.Count {
		slices.SortFunc(r.unpaid, func(a, b Unpaid) int { return cmp.Compare(a.Player+a.Animal, b.Player+b.Animal) })
		return &UnpaidError{r.show.ID, r.entries, item.Count, r.unpaid}
	}
	return nil
}

// unsettledFee is a participation whose fee may have to be given back.
type unsettledFee struct {
	table.Key
	fee int64 // as it was read; 0: unknown
}

// unsettled returns the participations of all entries that may have a fee to give back, by player, and counts the
// others as settled. If entries or participations are missing, it reads them up to twice more, 0.3 s apart: they may not
// be visible yet.
func (r *refundRun) unsettled(ctx context.Context, item *records.ShowItem) (map[game.ID][]unsettledFee, error) {
	var entries []records.EntryItem
	_, err := table.Settled(ctx, 1+EntryRereads, func() (all bool, err error) {
		entries, err = r.store.EntriesOf(ctx, r.show.ID, item.Gates, records.ProjectUsers)
		return int64(len(entries)) == item.Count, err
	})
	if err != nil {
		return nil, err
	}
	r.entries = len(entries)
	byPlayer := map[game.ID][]unsettledFee{}
	for some := range slices.Chunk(entries, refundBatch) {
		keys := make([]table.Key, len(some))
		for i, e := range some {
			keys[i] = records.ParticipationKey(e.Player, r.show.SeasonID, r.show.ID, records.IdIn(e.SK))
		}
		var found table.Batch
		_, err := table.Settled(ctx, 1+EntryRereads, func() (all bool, err error) {
			found, err = r.store.Table.BatchGet(ctx, records.ProjectFees, keys...)
			return len(found) == len(keys), err
		})
		if err != nil {
			return nil, err
		}
		for i, e := range some {
			part, damaged := table.In[records.ParticipationItem](found, keys[i])
			switch {
			case damaged != nil || part == nil:
				byPlayer[e.Player] = append(byPlayer[e.Player], unsettledFee{Key: keys[i]})
			case part.Unsettled():
				byPlayer[e.Player] = append(byPlayer[e.Player], unsettledFee{keys[i], -part.Fee.Amount})
			default:
				r.count(Unpaid{})
			}
		}
	}
	return byPlayer, nil
}

// count notes the outcome of one entry: settled if u.Err is nil, and otherwise unpaid. It returns how many entries in a
// row have run out of time.
func (r *refundRun) count(u Unpaid) (silent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if u.Err != nil {
		r.unpaid = append(r.unpaid, u)
	} else {
		r.settled++
	}
	if r.silent++; !errors.Is(u.Err, context.DeadlineExceeded) {
		r.silent = 0
	}
	if r.progress != nil {
		r.progress(r.settled, r.entries)
	}
	return r.silent
}

// refund gives one fee back, unless it was given back before. Its first attempt relies on the fee as read, since the
// conditions of the write decide.
func (r *refundRun) refund(ctx context.Context, player game.ID, p unsettledFee) error {
	ctx, cancel := context.WithTimeout(ctx, refundPatience)
	defer cancel()
	return r.store.Table.Decide(ctx, "refund", func(ctx context.Context) error {
		keys := []table.Key{records.UserKey(player)}
		if p.fee == 0 {
			keys = append(keys, p.Key)
		}
		found, err := r.store.Table.BatchGet(ctx, "", keys...)
		if err != nil {
			return err
		}
		user, err := table.In[records.UserItem](found, records.UserKey(player))
		if err != nil {
			return err
		}
		if p.fee == 0 {
			part, err := table.In[records.ParticipationItem](found, p.Key)
			switch {
			case err != nil:
				return err
			case part == nil:
				return DamagedShow{r.show.ID, "the user's record of the entry, which has the fee, is missing"}
			case !part.Unsettled():
				return nil
			}
			p.fee = -part.Fee.Amount
		}
		if user == nil {
			return ErrUnknownUser
		}
		account := *user.Account()
		row := game.RefundEntry(account, r.show, p.fee, r.now)
		p.fee = 0 // the next attempt reads it
		t := r.store.Table.Begin()
		MoveGold(t, account, row)
		t.Update(p.Key, records.FeeRefunded(row.Seq), records.FeeIsUnsettled(), table.ErrStale)
		t.Create(records.NewLedgerItem(row), table.ErrStale)
		return t.Commit(ctx)
	})
}

// finish notes in the show when all fees had been given back, and deletes the note of pending refunds. If the show has
// its note already, or is gone, finish changes nothing.
func (r *refundRun) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refundPatience)
	defer cancel()
	t := r.store.Table.Begin()
	t.Update(records.ShowKey(r.show.ID), records.AllRefunded(r.now), records.Unrefunded(), errRefunded)
	t.Remove(records.PendingRefundsKey(r.show.ID))
	if err := t.Commit(ctx); !errors.Is(err, errRefunded) {
		return err
	}
	return nil
}

// errRefunded means that the show has its time of refunds already, or is not cancelled.
var errRefunded = errors.New("the show is not cancelled, or all its fees have been given back")
