package main

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// createShow opens a show of three gates, for a fee of ten gold, in a season of its own.
func createShow(t *testing.T, s *store.Store, closesIn time.Duration) game.Show {
	t.Helper()
	now := game.InstantOf(time.Now())
	season := game.Season{ID: game.NewID(), Name: "Signals", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := s.Operator(store.NewChange("test", "", now)).CreateSeason(t.Context(), season); err != nil {
		t.Fatal(err)
	}
	show := game.Show{
		ID: game.NewID(), SeasonID: season.ID, Name: "County Fair", Tier: game.TierRookie, EntryFee: 10, Status: game.ShowOpen, EntryClosesAt: now.Add(closesIn),
	}
	if err := s.Operator(store.NewChange("test", "", now.Add(min(0, closesIn)))).CreateShow(t.Context(), show, 3); err != nil {
		t.Fatal(err)
	}
	return show
}

// TestRun_runsTheSchedules runs the real programs through Lambda's Runtime API. JudgeDue judges a show after its
// closing time, and FinishPending finishes an interrupted cancellation. (The drill of the alarms also runs the audit.)
func TestRun_runsTheSchedules(t *testing.T) {
	treeOfPrograms(t)
	cfg := usual(t)
	cfg.judgeDue, cfg.processes = 100*time.Millisecond, 1
	s, out := openStack(t, cfg)
	table := store.New(dynamodb.New(s.engine.Client().Options(), store.ClientOptions), stack.TableName, time.Now)
	open, closed := createShow(t, table, time.Hour), createShow(t, table, -time.Minute)
	processtest.Eventually(t, "the closed show is judged, and the run says so", func() bool {
		read, _, err := table.ShowWithEntries(t.Context(), closed.ID)
		return err == nil && read.Status == game.ShowCompleted && out.shows(string(closed.ID))()
	})
	cancelled := createShow(t, table, time.Hour)
	if err := table.Operator(store.NewChange("tester", "", game.InstantOf(time.Now()))).CancelShow(t.Context(), cancelled.ID); err != nil {
		t.Fatal(err)
	}
	processtest.Eventually(t, "the cancelled show is refunded, and the run says so", func() bool {
		record, err := table.ShowRecord(t.Context(), cancelled.ID)
		return err == nil && record.RefundedAt != nil && out.shows(string(cancelled.ID))()
	})
	if read, _, err := table.ShowWithEntries(t.Context(), open.ID); err != nil || read.Status != game.ShowOpen || out.shows("template.yaml does not allow")() {
		t.Errorf("%+v, %v, or a permission is missing:\n%s", read, err, out)
	}
}
