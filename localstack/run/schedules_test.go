package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/shared/game"
)

// TestRun_runsTheSchedules runs the real programs through Lambda's Runtime API. JudgeDue judges a show after its
// closing time, UpdateStandings adds it to the standings, and FinishPending finishes an interrupted cancellation. (The
// rehearsal also runs the audit.)
func TestRun_runsTheSchedules(t *testing.T) {
	treeOfPrograms(t)
	cfg := usual(t)
	cfg.judgeDue = 100 * time.Millisecond
	s, out := openStack(t, cfg)
	table := tableOf(s.engine)
	w := &world.World{Store: table}
	season, err := w.NewSeason(t.Context(), game.NewID())
	require.NoError(t, err)
	create := func(closesAt game.Instant) game.Show {
		t.Helper()
		show, err := w.NewShow(t.Context(), game.Show{SeasonID: season.ID, Name: "County Fair", Tier: game.TierRookie, EntryFee: 10, EntryClosesAt: closesAt}, 3)
		require.NoError(t, err)
		return show
	}
	open, closed, cancelled := create(0), create(world.Now().Add(-time.Minute)), create(0)
	processtest.Eventually(t, "the closed show is judged, and the run says so", func() bool {
		read, _, err := table.ShowWithEntries(t.Context(), closed.ID)
		return err == nil && read.Status == game.ShowCompleted && out.shows(string(closed.ID))()
	})
	processtest.Eventually(t, "the show is in the standings, and the run says so", func() bool {
		page, err := table.TopStandings(t.Context(), season.ID, 0)
		return err == nil && page.AsOf != nil && out.shows(string(season.ID))()
	})
	require.NoError(t, w.Operator().CancelShow(t.Context(), cancelled.ID))
	processtest.Eventually(t, "the cancelled show is refunded, and the run says so", func() bool {
		record, err := table.ShowRecord(t.Context(), cancelled.ID)
		return err == nil && record.RefundedAt != nil && out.shows(string(cancelled.ID))()
	})
	read, _, err := table.ShowWithEntries(t.Context(), open.ID)
	assert.True(t, err == nil && read.Status == game.ShowOpen && !out.shows("template.yaml does not allow")(),
		"%+v, %v, or a permission is missing:\n%s", read, err, out)
}
