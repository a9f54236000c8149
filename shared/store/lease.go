package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

// A lease is a lock with a time limit, in the show's item. While a call works on the show, entrants, readers and judges
// wait for the end of its lease. This only saves work. The conditions of a judging make it correct, even if other calls
// ignore the lease.
const (
	// leaseTime is how long a lease lasts after its last renewal. Its call renews it each third of this time.
	leaseTime = 6 * time.Second
	// leaseFrom is the number of entries from which a judging always takes a lease. A smaller judging ends in well
	// under a second, and takes a lease only after a failed attempt.
	leaseFrom = 2_000
	// clockSkew is how far two functions' clocks may differ. A lease that ends more than longestLease from now comes
	// from a wrong clock, and no call waits for it.
	clockSkew    = 2 * time.Second
	longestLease = leaseTime + clockSkew

	// readersPatience is how long a reader waits for the end of a lease before it returns the show as it is: open.
	readersPatience = 8 * time.Second
	// lookEvery is the average time until a waiting call first looks at the lease. The next looks are further apart, up
	// to four times that.
	lookEvery = 300 * time.Millisecond
	// courtesyTimeout is the time limit of a request that takes or renews a lease.
	courtesyTimeout = time.Second
	// farewellTimeout is how long a failed call tries to end its lease, even after its own deadline.
	farewellTimeout = 300 * time.Millisecond
)

// leased reports whether a call other than the one with the id has the lease.
func leased(i *records.ShowItem, clock game.Instant, id game.ID) bool {
	return i.Status == game.ShowOpen && i.LeasedBy != id && i.LeasedUntil > clock && i.LeasedUntil <= clock.Add(longestLease)
}

// awaitLease reads the show until no call has its lease, or until the given time has passed, and returns it as last
// read. Each read (a look) costs 1 RCU.
func (s *Store) awaitLease(ctx context.Context, item *records.ShowItem, atMost time.Duration) (*records.ShowItem, error) {
	patience := s.Clock().Add(atMost)
	for look := 1; leased(item, game.InstantOf(s.Clock()), "") && s.Clock().Before(patience); look++ {
		if err := table.Pause(ctx, time.Duration(min(look, 4))*(lookEvery/2+s.Table.Chance(lookEvery))); err != nil {
			return nil, fmt.Errorf("waiting for a lease to end: %w", err)
		}
		var err error
		if item, err = table.Get[records.ShowItem](ctx, s.Table, item.Key); err != nil {
			return nil, err
		}
		if item == nil {
			return nil, game.ErrShowUnknown
		}
	}
	return item, nil
}

// Lease is one call's lease on one show.
type Lease struct {
	store *Store
	show  game.ID
	call  game.ID
	end   func()       // ends the renewals; nil: there are none
	taken bool         // the call has written a lease, or may have
	until game.Instant // the end of the lease that was taken last
}

// NewLease returns the lease of a call on a show. The call has not taken it yet.
func (s *Store) NewLease(show, call game.ID) Lease { return Lease{store: s, show: show, call: call} }

// errAtWork means that another call has the lease.
var errAtWork = fmt.Errorf("another call is at work on the show: %w", table.ErrAgain)

// Wait returns nil if no other call has the lease. Otherwise it waits until that call ends or its lease expires, and then
// returns errAtWork, so that the caller reads the show again.
func (l *Lease) Wait(ctx context.Context, item *records.ShowItem) error {
	if !leased(item, game.InstantOf(l.store.Clock()), l.call) {
		return nil
	}
	if _, err := l.store.awaitLease(ctx, item, longestLease); err != nil {
		return err
	}
	return errAtWork
}

// take takes the lease. It returns errAtWork if another call has it, or if the show is not open any more.
func (l *Lease) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, courtesyTimeout)
	defer cancel()
	clock := game.InstantOf(l.store.Clock())
	leased, free := records.Leased(l.call, clock.Add(leaseTime)), records.LeaseIsFree(l.call, clock, clock.Add(longestLease))
	err := l.store.Table.Update(ctx, records.ShowKey(l.show), leased, free)
	switch {
	case errors.Is(err, table.ErrRefused):
		return errAtWork
	case err == nil:
		l.until = clock.Add(leaseTime)
	}
	return err
}

// Keep takes the lease, unless two thirds of its time are left, and renews it until rest is called. If the write of the
// lease takes longer than courtesyTimeout, keep returns nil, and the call goes on without the lease. Any other failure
// is an error.
func (l *Lease) Keep(ctx context.Context) error {
	if l.end != nil {
		return nil
	}
	if l.until < game.InstantOf(l.store.Clock()).Add(leaseTime*2/3) {
		if err := l.take(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("lease: %w", err)
		}
		l.taken = true
		tally.Add(ctx, tally.Leases, 1)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for table.Pause(ctx, leaseTime/3) == nil {
			if errors.Is(l.take(ctx), errAtWork) { // the call goes on without the lease
				return
			}
		}
	}()
	l.end = func() {
		cancel()
		<-ended
	}
	return nil
}

// Rest stops the renewals, and returns when no write of the lease is under way. The lease lasts up to leaseTime longer.
func (l *Lease) Rest() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}

// GiveUp ends the lease of a failed call, so that no call waits for it.
func (l *Lease) GiveUp(ctx context.Context) {
	l.Rest()
	if !l.taken {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTimeout)
	defer cancel()
	// If this fails, the lease ends by itself.
	_ = l.store.Table.Update(ctx, records.ShowKey(l.show), records.LeaseEnded(), records.LeasedBy(l.call))
}
