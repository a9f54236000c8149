package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// A lease in the show's item asks entrants, readers and judges to wait while a call works on the show. It is a courtesy
// with an end. Nothing relies on it: a judging is safe by its conditions, even if other calls ignore the lease.
const (
	// leaseTime is how long a lease keeps others waiting after its call has last said that it is at work, which it does
	// three times in that time.
	leaseTime = 6 * time.Second
	// leaseFrom is how many entries make a judging worth a lease from its beginning: smaller ones are over in well
	// under a second, and take one only when entries have overtaken them.
	leaseFrom = 2_000
	// clockSkew is how far two functions' clocks may be apart. What ends later than a lease can, by a clock that is
	// ahead no further than that, is not waited for: it comes from a clock that is wrong.
	clockSkew    = 2 * time.Second
	longestLease = leaseTime + clockSkew

	// readersPatience is how long a reader waits for a judging before it shows the show as it is: open.
	readersPatience = 8 * time.Second
	// lookEvery is the average time to the first look of those who wait for a lease to end; the next ones are further
	// apart, up to four times that.
	lookEvery = 300 * time.Millisecond
	// courtesyTimeout is how long a request for a courtesy may take.
	courtesyTimeout = time.Second
	// farewellTimeout is how long a call that has failed goes on to end its lease: within what a function has left.
	farewellTimeout = 300 * time.Millisecond
)

// leased reports whether a call other than the one with the id is at work on the show.
func (i *showItem) leased(clock game.Instant, id game.ID) bool {
	return i.Status == game.ShowOpen && i.LeasedBy != id && i.LeasedUntil > clock && i.LeasedUntil <= clock.Add(longestLease)
}

// awaitLease returns the show once no call has its lease, or as it is after the given time. A look costs 1 RCU.
func (s *Store) awaitLease(ctx context.Context, item *showItem, atMost time.Duration) (*showItem, error) {
	patience := s.clock().Add(atMost)
	for look := 1; item.leased(game.InstantOf(s.clock()), "") && s.clock().Before(patience); look++ {
		if err := pause(ctx, time.Duration(min(look, 4))*(lookEvery/2+s.chance(lookEvery))); err != nil {
			return nil, fmt.Errorf("waiting for a lease to end: %w", err)
		}
		var err error
		if item, err = get[showItem](ctx, s, item.key); err != nil {
			return nil, err
		}
		if item == nil {
			return nil, game.ErrShowUnknown
		}
	}
	return item, nil
}

// lease is one call's lease on one show.
type lease struct {
	store *Store
	show  game.ID
	call  game.ID
	end   func()       // ends the saying that the call is at work; nil: it does not say so
	taken bool         // once, perhaps
	until game.Instant // when what was taken last ends
}

// errAtWork means that another call has the lease.
var errAtWork = errors.New("another call is at work on the show")

// take says that this call is at work. It returns errAtWork if another one is, or if the show is no longer open.
func (l *lease) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, courtesyTimeout)
	defer cancel()
	clock := game.InstantOf(l.store.clock())
	_, err := l.store.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &l.store.table, Key: showKey(l.show).attributes(), UpdateExpression: aws.String("SET lb = :id, lu = :until"),
		ConditionExpression: aws.String("st = :open AND (lb = :id OR attribute_not_exists(lu) OR lu <= :clock OR lu > :beyond)"),
		ExpressionAttributeValues: attributes{
			":id": str(string(l.call)), ":until": number(clock.Add(leaseTime)), ":open": str(string(game.ShowOpen)),
			":clock": number(clock), ":beyond": number(clock.Add(longestLease)),
		},
	})
	switch {
	case errors.As(err, new(*types.ConditionalCheckFailedException)):
		return errAtWork
	case err == nil:
		l.until = clock.Add(leaseTime)
	}
	return err
}

// keep takes the lease, unless most of it is left, and says again and again that the call is at work, until rest. While
// the lease cannot be written, the call goes on without.
func (l *lease) keep(ctx context.Context) error {
	if l.end != nil {
		return nil
	}
	if l.until < game.InstantOf(l.store.clock()).Add(leaseTime*2/3) {
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
		for pause(ctx, leaseTime/3) == nil {
			if errors.Is(l.take(ctx), errAtWork) { // whoever came in between costs time, and nothing else
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

// rest returns when the lease, which lasts for some seconds more, is no longer written by this process.
func (l *lease) rest() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}

// giveUp ends the lease of a failed call, so that no call waits for it.
func (l *lease) giveUp(ctx context.Context) {
	l.rest()
	if !l.taken {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTimeout)
	defer cancel()
	// If this fails, the lease ends by itself.
	_, _ = l.store.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &l.store.table, Key: showKey(l.show).attributes(), UpdateExpression: aws.String("REMOVE lb, lu"),
		ConditionExpression: aws.String("lb = :id"), ExpressionAttributeValues: attributes{":id": str(string(l.call))},
	})
}
