package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

type seasons interface {
	Unfolded(ctx context.Context, now game.Instant) ([]store.Unfolded, error)
	Fold(ctx context.Context, season store.Unfolded) error
}

func job(seasons seasons) schedule.Job {
	return schedule.New("update-standings", handler{seasons}.update)
}

type handler struct{ seasons seasons }

// update folds the seasons that are due, one after the other, the longest due first. If a fold fails, the others
// continue. If the run's time ends, the next run does the rest. The log line has the age of the oldest fold that was due
// and has not ended, unless update could not read which folds are due.
func (h handler) update(ctx context.Context, now game.Instant) (schedule.Report, error) {
	all, err := h.seasons.Unfolded(ctx, now)
	if err != nil {
		return schedule.Report{}, err
	}
	folded, waiting, oldest, failures := []game.ID{}, 0, now, []error(nil)
	for _, season := range all {
		if season.Since > now {
			waiting++
			continue
		}
		err := h.fold(ctx, season)
		if err == nil {
			folded = append(folded, season.Season)
			continue
		}
		oldest = min(oldest, season.Since)
		if ctx.Err() == nil && !errors.Is(err, store.ErrOtherFold) {
			failures = append(failures, fmt.Errorf("cannot update the standings of %s, and will try again in the next run: %w", season.Season, err))
		}
	}
	tally.Add(ctx, tally.OldestUnfolded, int64(now-oldest)/1000)
	return schedule.Report{
		Line:   []slog.Attr{slog.Any("folded", folded), slog.Int("waiting", waiting)},
		Always: []tally.Figure{tally.OldestUnfolded},
	}, errors.Join(failures...)
}

// fold folds a season. A panic is an error of this season.
func (h handler) fold(ctx context.Context, season store.Unfolded) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return h.seasons.Fold(ctx, season)
}
