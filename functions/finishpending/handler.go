package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

type table interface {
	Unfinished(ctx context.Context) ([]store.PendingWork, error)
	Finish(ctx context.Context, w store.PendingWork, now game.Instant) (finished bool, err error)
}

const (
	// atOnce is how many shows and users a run works on at once. A show pays 16 players at once.
	atOnce = 4
	// often is how long a work is tried each minute. Older work has failed many times, and may be large. It is tried
	// once an hour, so that a damaged show does not cost a read of all its entries each minute.
	often = time.Hour
	// longestError is the longest part of an error in the line, in characters: a show may have thousands of entries
	// that cannot be paid.
	longestError = 2000
)

func job(table table) schedule.Job { return schedule.New("finish-pending", handler{table}.finish) }

type handler struct{ table table }

// finish finishes pending work, several works at once, the oldest first. A failed work does not stop the others. If the
// time is too short, the next run continues. The run reports the age of the oldest unfinished work. If it cannot read
// that, it reports nothing.
func (h handler) finish(ctx context.Context, now game.Instant) (schedule.Report, error) {
	works, err := h.table.Unfinished(ctx)
	if err != nil {
		return schedule.Report{}, err
	}
	finished, failures := make([]bool, len(works)), make([]error, len(works))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, w := range works {
		if minute := now.Time().Minute(); now.Time().Sub(w.Since.Time()) > often && minute != 0 {
			continue
		}
		group.Go(func() error {
			finished[i], failures[i] = h.finishOne(ctx, w, now)
			return nil
		})
	}
	_ = group.Wait() // it has no errors
	oldest, done := now, []game.ID{}
	for i, w := range works {
		if finished[i] {
			done = append(done, w.Show+w.User)
		} else {
			oldest = min(oldest, w.Since)
		}
	}
	tally.Add(ctx, tally.OldestUnfinished, int64(now-oldest)/1000)
	return schedule.Report{
		Line:   []slog.Attr{slog.Int("pending", len(works)), slog.Any("finished", done)},
		Always: []tally.Figure{tally.OldestUnfinished},
	}, errors.Join(failures...)
}

// finishOne finishes one work, or continues it until the run ends, which is not a failure. A panic is a failure of that
// work.
func (h handler) finishOne(ctx context.Context, w store.PendingWork, now game.Instant) (finished bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			err = fmt.Errorf("%s of %s: %.*s", w.Work, w.Show+w.User, longestError, err.Error())
		}
	}()
	if finished, err = h.table.Finish(ctx, w, now); ctx.Err() != nil {
		err = nil
	}
	return finished, err
}
