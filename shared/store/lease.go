package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// Leases and seals ask others to wait: a lease on the show's item asks judges and readers, a seal on a gate asks
// entries. Both are courtesies with an end. Nothing relies on them: a judging is safe by its conditions, whoever
// ignores them.
const (
	// sealLease is how long a seal keeps entries waiting, unless the judging ends before: longer than reading 50,000
	// entries again and committing, shorter than an entry's own deadline.
	sealLease = 5 * time.Second
	// mostBetweenSeals is the longest time between two attempts to seal a gate: it is free between any two entries.
	mostBetweenSeals = 50 * time.Millisecond
	// judgingLease is how long a judging keeps others waiting after it has last said that it is at work, which it does
	// three times in that time.
	judgingLease = 6 * time.Second
	// leaseFrom is how many entries make a judging worth a lease: smaller ones are over in well under a second.
	leaseFrom = 2_000
	// clockSkew is how far two functions' clocks may be apart. What ends later than a lease or a seal can, by a clock
	// that is ahead no further than that, is not waited for: it comes from a clock that is wrong.
	clockSkew    = 2 * time.Second
	longestSeal  = sealLease + clockSkew
	longestLease = judgingLease + clockSkew

	// readersPatience is how long a reader waits for a judging before it shows the show as it is: open.
	readersPatience = 8 * time.Second
	// lookEvery is the average time to the first look of those who wait for a judging; the next ones are further apart,
	// up to four times that.
	lookEvery = 300 * time.Millisecond
	// courtesyTimeout is how long a request for a courtesy may take.
	courtesyTimeout = time.Second
	// farewellTimeout is how long a judging that has failed goes on to end its lease: within what a function has left.
	farewellTimeout = 300 * time.Millisecond
)

// leased reports whether a judging other than the one with the id is at work on the show.
func (i *showItem) leased(clock game.Instant, id game.ID) bool {
	return i.Status == game.ShowOpen && i.LeasedBy != id && i.LeasedUntil > clock && i.LeasedUntil <= clock.Add(longestLease)
}

// awaitJudging returns the show once nobody is judging it any more, or as it is after so long. A look costs 1 RCU.
func (s *Store) awaitJudging(ctx context.Context, item *showItem, atMost time.Duration) (*showItem, error) {
	patience := s.clock().Add(atMost)
	for look := 1; item.leased(game.InstantOf(s.clock()), "") && s.clock().Before(patience); look++ {
		if err := pause(ctx, time.Duration(min(look, 4))*(lookEvery/2+s.chance(lookEvery))); err != nil {
			return nil, fmt.Errorf("waiting for a judging: %w", err)
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

// lease says that this judging is at work. It returns errAtWork where another one is, or the show is no longer open.
func (j *judging) lease(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, courtesyTimeout)
	defer cancel()
	clock := game.InstantOf(j.store.clock())
	_, err := j.store.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &j.store.table, Key: showKey(j.show).attributes(), UpdateExpression: aws.String("SET lb = :id, lu = :until"),
		ConditionExpression: aws.String("st = :open AND (lb = :id OR attribute_not_exists(lu) OR lu <= :clock OR lu > :beyond)"),
		ExpressionAttributeValues: attributes{
			":id": str(string(j.id)), ":until": number(clock.Add(judgingLease)), ":open": str(string(game.ShowOpen)),
			":clock": number(clock), ":beyond": number(clock.Add(longestLease)),
		},
	})
	if errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return errAtWork
	}
	return err
}

// giveUpLease ends the lease of a judging that has failed, so that nobody waits for it.
func (j *judging) giveUpLease(ctx context.Context) {
	if !j.leased {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTimeout)
	defer cancel()
	// Where this fails, the lease ends by itself.
	_, _ = j.store.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &j.store.table, Key: showKey(j.show).attributes(), UpdateExpression: aws.String("REMOVE lb, lu"),
		ConditionExpression: aws.String("lb = :id"), ExpressionAttributeValues: attributes{":id": str(string(j.id))},
	})
}

// keepLease takes the lease and says again and again that the judging is at work, until endLease. While the lease
// cannot be written, the judging goes on without.
func (j *judging) keepLease(ctx context.Context) error {
	if err := j.lease(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("lease: %w", err)
	}
	j.leased = true
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pause(ctx, judgingLease/3) == nil {
			if errors.Is(j.lease(ctx), errAtWork) { // whoever came in between costs time, and nothing else
				return
			}
		}
	}()
	j.end = func() {
		cancel()
		<-ended
	}
	return nil
}

// endLease returns when the lease is no longer written by this process. It may be called where there is none.
func (j *judging) endLease() {
	if j.end != nil {
		j.end()
		j.end = nil
	}
}

// seal asks entries to wait, gate by gate. Among a crowd some gates take long: then it does so once more, which is
// quick where entries wait already, so that the first seals are not near their end when the judging begins.
func (s *Store) seal(ctx context.Context, show *showItem) error {
	tally.Add(ctx, tally.Seals, 1)
	for range 2 {
		start := time.Now()
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(parallelReads)
		for _, k := range gateKeys(show.show(), show.Gates) {
			group.Go(func() error { return s.sealGate(ctx, k) })
		}
		if err := group.Wait(); err != nil || time.Since(start) < sealLease/5 {
			return err
		}
	}
	return nil
}

// sealGate asks until the gate is free for a moment, each time with the seal's whole time. A gate that is not there any
// more need not be sealed: the next read will tell.
func (s *Store) sealGate(ctx context.Context, k key) error {
	for attempt := 1; ; attempt++ {
		_, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.table, Key: k.attributes(),
			UpdateExpression: aws.String("SET su = :until"), ConditionExpression: aws.String("attribute_exists(PK)"),
			ExpressionAttributeValues: attributes{":until": number(game.InstantOf(s.clock()).Add(sealLease))},
		}, once)
		switch {
		case err == nil, errors.As(err, new(*types.ConditionalCheckFailedException)):
			return nil
		case !retryer.IsErrorRetryable(err):
			return fmt.Errorf("seal: %w", err)
		}
		delay := s.chance.delay(attempt)
		if errors.As(err, new(*types.TransactionConflictException)) {
			delay = min(delay, s.chance(mostBetweenSeals))
		}
		if err := pause(ctx, delay); err != nil {
			return fmt.Errorf("seal: %w", err)
		}
	}
}

// once is a request that is not repeated by the SDK, which would send the same bytes.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
