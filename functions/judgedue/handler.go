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

type shows interface {
	DueShows(ctx context.Context, now game.Instant, limit int) ([]store.DueShow, error)
	JudgeDue(ctx context.Context, show game.ID, now game.Instant) ([]game.Contestant, error)
}

const (
	// mostShows is the largest number of shows that a run tries to judge. A list of so many costs about 64 read units.
	// Further shows wait for the run of the next minute.
	mostShows = 1_000
	// judges is the number of shows that a run judges concurrently. So a thousand small shows take some 15 s.
	judges = 8
	// timeForAShow limits a show's judging in the first round. A show with 10,000 entries takes less. If a show takes
	// longer, a second round judges it within the rest of the run, after every other show has had its first try.
	timeForAShow = 5 * time.Second
	// leastTime is the time before the end of a run in which the run begins with no further show.
	leastTime = 500 * time.Millisecond
)

func job(shows shows) schedule.Job { return schedule.New("judge-due", (&handler{shows: shows}).judge) }

// handler judges due shows. It remembers which shows the last run of this process failed to judge, so that the next run
// begins with the others. A new process has no such memory, which does no harm. Runs do not overlap.
type handler struct {
	shows  shows
	failed map[game.ID]bool
}

// judge judges the shows whose closing time has passed, eight at once, in the order of their closing times. Shows that
// the last run failed to judge come last. If a show fails, the others continue. judge skips shows that meanwhile
// another call has judged, or an operator has cancelled or put off. If the time ends, the rest waits for the next run.
func (h *handler) judge(ctx context.Context, now game.Instant) (schedule.Report, error) {
	due, err := h.shows.DueShows(ctx, now, mostShows)
	if err != nil {
		return schedule.Report{}, err // the line has no OldestOverdue: the alarm fires if it is missing
	}
	var queue, again []*judging
	for _, show := range due {
		j := &judging{DueShow: show}
		if h.failed[show.ID] {
			again = append(again, j)
		} else {
			queue = append(queue, j)
		}
	}
	queue = append(queue, again...)
	h.round(ctx, now, queue, waiting, timeForAShow)
	h.round(ctx, now, queue, slow, time.Hour) // ends with the run, which is shorter

	h.failed = map[game.ID]bool{}
	judged, ranked, oldest, failures := []game.ID{}, 0, now, []error(nil)
	states := map[state]int{}
	for _, j := range queue {
		states[j.state]++
		switch j.state {
		case done:
			judged, ranked = append(judged, j.ID), ranked+j.ranked
		case left:
		default:
			h.failed[j.ID], oldest = j.state != waiting, min(oldest, j.ClosedAt)
			if j.err != nil {
				failures = append(failures, fmt.Errorf("cannot judge show %s, and will try again in the next run: %w", j.ID, j.err))
			}
		}
	}
	tally.Add(ctx, tally.OldestOverdue, int64(now-oldest)/1000)
	return schedule.Report{
		Line: []slog.Attr{
			slog.Int("due", len(due)), slog.Any("judged", judged), slog.Int("ranked", ranked), slog.Int("left", states[left]),
			slog.Int("waiting", states[waiting]),
		},
		Always: []tally.Figure{tally.OldestOverdue},
	}, errors.Join(failures...)
}

// judging is the state of one show in a run.
type judging struct {
	store.DueShow
	state  state
	ranked int
	err    error // of the last attempt, if the state is slow or failed
}

type state int

const (
	waiting state = iota // has had no attempt, or not all of its time
	slow                 // an attempt had all of its time, and did not end
	failed
	left // judged by another call, cancelled, or put off
	done
)

// round judges the shows of the queue whose state is the parameter of, eight at once. Each show gets at most the time
// limit. In the last half second of the run (leastTime), round begins with no further show.
func (h *handler) round(ctx context.Context, now game.Instant, queue []*judging, of state, limit time.Duration) {
	var group errgroup.Group
	group.SetLimit(judges)
	for _, j := range queue {
		if j.state != of {
			continue
		}
		group.Go(func() error {
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) >= leastTime {
				h.judgeOne(ctx, now, j, limit)
			}
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors
}

// judgeOne judges one show and sets its state. It treats a panic as a failure of that show.
func (h *handler) judgeOne(run context.Context, now game.Instant, j *judging, limit time.Duration) {
	ctx, cancel := context.WithTimeout(run, limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			j.state, j.err = failed, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ranked, err := h.shows.JudgeDue(ctx, j.ID, now)
	j.ranked, j.err = len(ranked), err
	switch {
	case err == nil:
		j.state = done
	case errors.Is(err, game.ErrShowNotOpen), errors.Is(err, store.ErrNotDue):
		j.state, j.err = left, nil
	case run.Err() != nil && j.state == waiting: // the run ended first
		j.err = nil
	case ctx.Err() != nil:
		j.state = slow
	default:
		j.state = failed
	}
}
