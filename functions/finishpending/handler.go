package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
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
	// atOnce is the number of shows and users that a run works on concurrently. In addition, the refunds of a show run
	// for 16 players concurrently.
	atOnce = 4
	// often is the age up to which every run tries pending work. Older work has failed many times, and may be large.
	// Only the run in the first minute of an hour tries older work, so that a damaged show does not cost a read of all
	// its entries each minute.
	often = time.Hour
	// longestError limits the text of an error in the log line, in characters. The error of a show may name thousands
	// of entries that cannot be paid.
	longestError = 2000
)

func job(table table) schedule.Job { return schedule.New("finish-pending", handler{table}.finish) }

type handler struct{ table table }

// finish finishes the work that operators have begun, names before refunds, the oldest first, and four pieces at once. A
// piece is the refunds of a show or a user's change of names. If a piece fails, the others continue. If the function's
// time ends, the next run continues. The log line has the age of the oldest unfinished work, unless finish could not
// read the list of work.
func (h handler) finish(ctx context.Context, now game.Instant) (schedule.Report, error) {
	works, err := h.table.Unfinished(ctx)
	if err != nil {
		return schedule.Report{}, err
	}
	// Names come first, because the refunds of a large show can take all of a run's time.
	slices.SortStableFunc(works, func(a, b store.PendingWork) int { return cmp.Compare(size(a), size(b)) })
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
	_ = group.Wait() // the functions return no errors
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

// size orders work by how long it can take.
func size(w store.PendingWork) int {
	if w.Work == store.WorkNames {
		return 0
	}
	return 1
}

// finishOne works on one piece of work until the piece is finished or the run ends. The end of the run is not an error.
// A panic is an error of this piece.
func (h handler) finishOne(ctx context.Context, w store.PendingWork, now game.Instant) (finished bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			err = fmt.Errorf("cannot finish the %s of %s, and will try again: %.*s", w.Work, w.Show+w.User, longestError, err.Error())
		}
	}()
	if finished, err = h.table.Finish(ctx, w, now); ctx.Err() != nil {
		err = nil
	}
	return finished, err
}
