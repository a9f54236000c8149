package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// closing lets a show close so long after the scene's time.
func closing(after time.Duration) func(*storetest.ShowDraft) {
	return func(d *storetest.ShowDraft) { d.EntryClosesAt = functiontest.Start.Add(after) }
}

// newBench is a fair with Ann in it, whose show closes in a second.
func newBench(t *testing.T) *functiontest.JobBench {
	t.Helper()
	b := functiontest.NewJob(t, job)
	b.AddFair(t, closing(time.Second))
	return b
}

// at returns the bench at a time after the scene's.
func at(b *functiontest.JobBench, after time.Duration) *functiontest.JobBench {
	other := *b
	other.Scene = b.AtTime(b.Now.Add(after))
	return &other
}

// line is what the log says of a run without failures.
func line(due, ranked, left, waiting int, judged ...game.Show) map[string]any {
	ids := []any{}
	for _, show := range judged {
		ids = append(ids, string(show.ID))
	}
	return map[string]any{
		"level": "INFO", "msg": "run", "function": "judge-due", "version": "7", "due": float64(due), "judged": ids,
		"ranked": float64(ranked), "left": float64(left), "waiting": float64(waiting),
	}
}

// check compares what a run says, apart from what the tally has of it, and wants no failure.
func check(t *testing.T, run functiontest.Run, want map[string]any) {
	t.Helper()
	if run.Err != nil {
		t.Error(run.Err)
	}
	compare(t, run, want)
}

func compare(t *testing.T, run functiontest.Run, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name, value := range run.Line {
		if _, metric := run.Metrics[name]; !metric {
			got[name] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

func status(t *testing.T, b *functiontest.JobBench, show game.Show) game.ShowStatus {
	t.Helper()
	read, _, err := b.Rival.ShowWithEntries(t.Context(), show.ID)
	if err != nil {
		t.Fatal(err)
	}
	return read.Status
}

// Shows are judged once their closing time has come, in the order of these times, with or without entries, and no
// sooner.
func TestJudgeDue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	early := b.AddShow(t, closing(time.Millisecond), storetest.Gates(3))
	late := b.AddShow(t, closing(2*time.Second))
	b.MustEnter(t, b.Ann, b.Show, 0, 1)
	b.MustEnter(t, b.Ann, late, 0)
	b.Unchanged(t, func() { check(t, b.Run(t), line(0, 0, 0, 0)) })
	b.Unchanged(t, func() { check(t, at(b, 0).Run(t), line(0, 0, 0, 0)) })
	now := at(b, time.Second)
	run := now.Run(t)
	check(t, run, line(2, 2, 0, 0, early, b.Show))
	if run.Metrics["JudgedEntries"] != 2 || run.Metrics["Faults"] != 0 || run.Metrics["EarlyJudgings"] != 0 {
		t.Error(run.Metrics)
	}
	show, entries, err := b.Rival.ShowWithEntries(t.Context(), b.Show.ID)
	if err != nil || show.Status != game.ShowCompleted || *show.JudgedAt != now.Now || len(entries) != 2 || *entries[0].Rank != 1 {
		t.Errorf("%+v %+v %v", show, entries, err)
	}
	if status(t, b, late) != game.ShowOpen {
		t.Error("a show that has not closed is judged")
	}
	b.Unchanged(t, func() { check(t, now.Run(t), line(0, 0, 0, 0)) })
	check(t, at(b, time.Hour).Run(t), line(1, 1, 0, 0, late))
	b.Invariants(t)
}

// A show that cannot be judged is a fault, and the others are judged all the same.
func TestAShowThatFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := b.AddShow(t, closing(2*time.Second))
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.At("USER#"+string(b.Ann.ID), "ANIMAL#"+string(b.Ann.Animals[0].ID)).Edit(t, "SET co = :damaged", map[string]any{":damaged": "fine"})
	run := at(b, time.Minute).Run(t)
	if run.Err == nil || !strings.Contains(run.Err.Error(), "show "+string(b.Show.ID)) || strings.Contains(run.Err.Error(), string(other.ID)) {
		t.Error(run.Err)
	}
	want := line(2, 0, 0, 0, other)
	want["level"], want["error"] = "ERROR", run.Err.Error()
	compare(t, run, want)
	if run.Metrics["Faults"] != 1 || status(t, b, b.Show) != game.ShowOpen || status(t, b, other) != game.ShowCompleted {
		t.Error(run.Metrics)
	}
}

// Whoever judges a show first has judged it, and a run that comes second goes on with the next one; so it does where
// an operator has put the closing time off.
func TestAShowThatSomebodyElseJudges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.MustEnter(t, b.Ann, b.Show, 0)
	other := b.AddShow(t, closing(2*time.Second))
	b.Meanwhile(func() { b.MustJudge(t, b.Ann, b.Show) })
	check(t, at(b, time.Minute).Run(t), line(2, 0, 1, 0, other))
	b.Invariants(t)
	for name, err := range map[string]error{"judged": game.ErrShowNotOpen, "put off": store.ErrNotDue} {
		b.Job = job(failing{err})
		run := b.Run(t)
		if check(t, run, line(2, 0, 2, 0)); t.Failed() {
			t.Fatal(name)
		}
	}
}

// A judging of many entries says that it is at work, and one that entries overtake seals the gates, as a player's does.
func TestItJudgesAsPlayersDo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.MustEnter(t, b.Ann, b.Show, 0)
	gate := b.Gate(t, b.Show)
	gate.Edit(t, "SET n = :n", map[string]any{":n": 10_000})
	b.Wire.Next("UpdateItem", storetest.Before(func() { gate.Edit(t, "SET n = :n", map[string]any{":n": 1}) }))
	b.Meanwhile(func() { b.MustEnter(t, b.Ann, b.Show, 1) }) // by a clock that is behind
	run := at(b, time.Second).Run(t)
	check(t, run, line(1, 2, 0, 0, b.Show))
	if run.Metrics["Seals"] == 0 {
		t.Error(run.Metrics)
	}
	b.CheckFaults(t)
	b.Invariants(t)
}

// What a run has not the time for waits for the next one.
func TestItStopsBeforeItsTimeIsOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := at(b, time.Hour)
	now.Time = timeForAShow
	now.Unchanged(t, func() { check(t, now.Run(t), line(1, 0, 0, 1)) })
	if b.Time < 2*timeForAShow || b.Time >= time.Minute {
		t.Errorf("it has %v, for shows of %v each", b.Time, timeForAShow)
	}
	check(t, at(b, time.Hour).Run(t), line(1, 0, 0, 0, b.Show))
}

// A run has an end, however many shows are due.
func TestItJudgesSoManyAtATime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	asked := 0
	b.Job = job(counting{&asked})
	check(t, b.Run(t), line(0, 0, 0, 0))
	if asked != mostShows {
		t.Errorf("asked for %d", asked)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Job = job(panicking{})
	if run := b.Run(t); run.Err == nil || !strings.HasPrefix(run.Err.Error(), "panic: boom\n") || run.Metrics["Faults"] != 1 {
		t.Errorf("%+v", run)
	}
}

// failing finds two shows, whose judging ends with an error.
type failing struct{ err error }

func (failing) DueShows(context.Context, game.Instant, int) ([]game.ID, error) {
	return []game.ID{storetest.ID(1), storetest.ID(2)}, nil
}

func (f failing) JudgeDue(context.Context, game.ID, game.Instant) ([]game.Contestant, error) {
	return nil, f.err
}

// counting finds no show, and notes for how many it was asked.
type counting struct{ limit *int }

func (c counting) DueShows(_ context.Context, _ game.Instant, limit int) ([]game.ID, error) {
	*c.limit = limit
	return nil, nil
}

func (counting) JudgeDue(context.Context, game.ID, game.Instant) ([]game.Contestant, error) {
	return nil, errors.New("nobody was due")
}

type panicking struct{ counting }

func (panicking) DueShows(context.Context, game.Instant, int) ([]game.ID, error) { panic("boom") }
