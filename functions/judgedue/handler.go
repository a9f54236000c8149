package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/store"
)

type shows interface {
	DueShows(ctx context.Context, now game.Instant, limit int) ([]game.ID, error)
	JudgeDue(ctx context.Context, show game.ID, now game.Instant) ([]game.Contestant, error)
}

const (
	// mostShows is how many shows a run judges at most. Others have to wait for the next minute.
	mostShows = 50
	// timeForAShow is what one show gets, and what must be left for another one to be begun: a judging of 50,000
	// entries takes less.
	timeForAShow = 25 * time.Second
)

func job(shows shows) schedule.Job { return schedule.New("judge-due", handler{shows}.judge) }

type handler struct{ shows shows }

// judge judges one show after the other, in the order in which they have closed. A show that fails does not keep the
// others; one that somebody else has judged, or put off, is left.
func (h handler) judge(ctx context.Context, now game.Instant) (schedule.Report, error) {
	due, err := h.shows.DueShows(ctx, now, mostShows)
	if err != nil {
		return schedule.Report{}, err
	}
	judged, left, entries := []game.ID{}, 0, 0
	var failures []error
	for _, show := range due {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < timeForAShow {
			break
		}
		ranked, err := h.judgeOne(ctx, show, now)
		switch {
		case err == nil:
			judged, entries = append(judged, show), entries+len(ranked)
		case errors.Is(err, game.ErrShowNotOpen), errors.Is(err, store.ErrNotDue):
			left++
		default:
			failures = append(failures, fmt.Errorf("show %s: %w", show, err))
		}
	}
	waiting := len(due) - len(judged) - left - len(failures)
	return schedule.Report{Line: []slog.Attr{
		slog.Int("due", len(due)), slog.Any("judged", judged), slog.Int("ranked", entries), slog.Int("left", left), slog.Int("waiting", waiting),
	}}, errors.Join(failures...)
}

func (h handler) judgeOne(ctx context.Context, show game.ID, now game.Instant) ([]game.Contestant, error) {
	ctx, cancel := context.WithTimeout(ctx, timeForAShow)
	defer cancel()
	return h.shows.JudgeDue(ctx, show, now)
}
