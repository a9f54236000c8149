package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// parallelRefunds is how many users get fees back at once.
	parallelRefunds = 16
	// refundPatience bounds one refund, so that a table which is gone ends them.
	refundPatience = 20 * time.Second
)

// ErrNotCancelled means that a show's fees are not to be given back.
var ErrNotCancelled = errors.New("the show is not cancelled")

// Refund gives back the fee of every entry of a cancelled show that has not got it back, and then notes in the show
// that all have. Each is a transaction of its own, and happens once: Refund may be interrupted and called again, and
// several calls may run at once. The rows of the ledgers are its record: it leaves no other. It calls progress, which
// may be nil, after each entry with how many are settled and how many there are, one call at a time.
//
// A refund's conditions, and the race each stops:
//
//	user           ledger number as read   any other change of the balance in between; the user may have any status
//	participation  fee there, no refund    another refund of the entry
//	ledger         must not exist          a gap or a double in the ledger
//
// It returns ErrUnknownShow, ErrNotCancelled, and, after it has refunded all others, ErrUnknownUser where a user with a
// fee is not there.
func (o Operator) Refund(ctx context.Context, show game.ID, progress func(settled, entries int)) error {
	item, err := o.store.showItem(ctx, show)
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
	r := refunding{store: o.store, show: item.show(), now: o.change.At, progress: progress}
	if !r.show.Free() {
		if err := r.all(ctx, item); err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// refunding is one call of Refund.
type refunding struct {
	store    *Store
	show     game.Show
	now      game.Instant
	progress func(settled, entries int)

	mu                        sync.Mutex
	settled, entries, nowhere int
}

// all refunds all entries, those of one user one after the other.
func (r *refunding) all(ctx context.Context, item *showItem) error {
	byPlayer, err := r.participations(ctx, item)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelRefunds)
	for player, theirs := range byPlayer {
		group.Go(func() error {
			for _, k := range theirs {
				err := r.refund(ctx, player, k)
				if err != nil && !errors.Is(err, ErrUnknownUser) {
					return err
				}
				r.count(err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if r.nowhere > 0 {
		return fmt.Errorf("%d of %d entries are not refunded: %w", r.nowhere, r.entries, ErrUnknownUser)
	}
	return nil
}

// participations returns the keys of those of all entries, by player. It reads until there are as many entries as the
// cancellation counted: one that came just before may not be visible yet.
func (r *refunding) participations(ctx context.Context, item *showItem) (map[game.ID][]key, error) {
	for attempt := 1; ; attempt++ {
		parts, err := r.store.readParts(ctx, r.show.ID, item.Gates, entryPrefix, "PK, SK, u")
		if err != nil {
			return nil, err
		}
		byPlayer := map[game.ID][]key{}
		r.entries = 0
		for _, p := range parts {
			r.entries += len(p.entries)
			for _, e := range p.entries {
				byPlayer[e.Player] = append(byPlayer[e.Player], participationKey(e.Player, r.show.SeasonID, r.show.ID, idIn(e.SK)))
			}
		}
		switch {
		case int64(r.entries) == item.Count:
			return byPlayer, nil
		case attempt > entryRereads:
			return nil, fmt.Errorf("%d entries, and %d were counted: %w", r.entries, item.Count, errNotVisible)
		}
		if err := pause(ctx, settling); err != nil {
			return nil, err
		}
	}
}

func (r *refunding) count(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.nowhere++
	} else {
		r.settled++
	}
	if r.progress != nil {
		r.progress(r.settled, r.entries)
	}
}

// refund gives one fee back, unless that has been done.
func (r *refunding) refund(ctx context.Context, player game.ID, participation key) error {
	ctx, cancel := context.WithTimeout(ctx, refundPatience)
	defer cancel()
	return r.store.decide(ctx, "refund", func(ctx context.Context) error {
		found, err := r.store.batchGet(ctx, "", userKey(player), participation)
		if err != nil {
			return err
		}
		user, userErr := in[userItem](found, userKey(player))
		part, partErr := in[participationItem](found, participation)
		switch {
		case userErr != nil || partErr != nil:
			return errors.Join(userErr, partErr)
		case part == nil: // its entry is there
			return errStale
		case part.Fee == nil || part.Refund > 0:
			return nil
		case user == nil:
			return ErrUnknownUser
		}
		account := *user.account()
		row := game.RefundEntry(account, r.show, -part.Fee.Amount, r.now)
		t := r.store.begin()
		r.store.moveGold(t, account, row)
		t.update(participation, "SET rf = :seq", "attribute_exists(fe) AND attribute_not_exists(rf)", attributes{":seq": number(row.Seq)}, errStale)
		t.create(newLedgerItem(row), errStale)
		return r.store.commit(ctx, t)
	})
}

// finish notes in the show that all fees have been given back; the first such note stays.
func (r *refunding) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refundPatience)
	defer cancel()
	t := r.store.begin()
	t.update(showKey(r.show.ID), "SET rf = :now", "st = :cancelled AND attribute_not_exists(rf)", attributes{
		":now": number(r.now), ":cancelled": str(string(game.ShowCancelled)),
	}, errRefunded)
	if err := r.store.commit(ctx, t); !errors.Is(err, errRefunded) {
		return err
	}
	return nil
}

// errRefunded means that another call has noted it.
var errRefunded = errors.New("all fees have been given back already")
