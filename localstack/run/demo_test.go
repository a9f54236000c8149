package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// begun is when the demo of these tests begins.
var begun = game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))

// demoTable returns an empty table whose clock always returns begun.
func demoTable(t *testing.T) operate.Desk {
	t.Helper()
	e := startEngine(t)
	require.NoError(t, engine.CreateTable(t.Context(), e.Client(), stack.TableName))
	return operate.Open(store.New(dynamodb.New(e.Client().Options(), table.ClientOptions), stack.TableName, begun.Time))
}

// seed calls seedDemo. The test fails unless the call creates as many shows as wanted and the whole table is correct.
func seed(t *testing.T, table operate.Desk, now game.Instant, want int) {
	t.Helper()
	shows, err := seedDemo(t.Context(), table, now, func(int, int) {})
	assert.True(t, err == nil && shows == want, "at %v it creates %d shows, %v; want %d", now, shows, err, want)
	_, problems, err := invariants.Verify(t.Context(), table.Table, func(int) {})
	assert.True(t, err == nil && len(problems) == 0, "the table is wrong: %v, %v", err, problems)
	chain, err := table.VerifyAudit(t.Context(), now)
	assert.True(t, err == nil && len(chain.Problems) == 0, "the records of changes are wrong: %v, %v", err, chain.Problems)
}

// judgeDue judges due shows, as the schedule does.
func judgeDue(t *testing.T, table operate.Desk, now game.Instant) {
	t.Helper()
	due, err := table.DueShows(t.Context(), now, 1000)
	for _, show := range due {
		_, judgeErr := table.JudgeDue(t.Context(), show.ID, now)
		err = errors.Join(err, judgeErr)
	}
	require.NoError(t, err)
}

// checkBeginning checks the table at the beginning of the demo.
func checkBeginning(t *testing.T, table operate.Desk) {
	t.Helper()
	shows, err := table.AllShows(t.Context(), "")
	require.NoError(t, err)
	refunded := 0
	for _, s := range shows {
		i := slices.IndexFunc(slices.Concat(round, history, formerShows), func(d demoShow) bool { return d.name == s.Name })
		plan := slices.Concat(round, history, formerShows)[i]
		want := game.ShowOpen
		if plan.cancelled {
			want = game.ShowCancelled
		} else if plan.closes < 0 {
			want = game.ShowCompleted
		}
		assert.True(t, s.Status == want && s.EntryCount == int64(plan.entries) && (s.JudgedAt == nil || *s.JudgedAt < begun && *s.JudgedAt >= s.EntryClosesAt),
			"%s is %s with %d entries, judged at %v; want %+v", s.Name, s.Status, s.EntryCount, s.JudgedAt, plan)
		record, err := table.ShowRecord(t.Context(), s.ID)
		require.NoError(t, err)
		if record.RefundedAt != nil && s.EntryFee > 0 {
			refunded++
		}
	}
	assert.Equal(t, 2, refunded, "the fees of %d shows are given back", refunded)
	active, err := table.ActiveSeason(t.Context())
	require.True(t, err == nil && active != nil && active.Name == "Season 2" && active.StartDate < begun && active.EndDate > begun,
		"%+v is active, %v", active, err)
	unfolded, err := table.Unfolded(t.Context(), game.InstantOf(time.Now()))
	require.NoError(t, err)
	for _, season := range unfolded {
		require.NoError(t, table.Fold(t.Context(), season))
	}
	for season, least := range map[game.ID]int{active.ID: len(rivals), named("season", 1): 3} {
		standings, err := table.TopStandings(t.Context(), season, 0)
		assert.True(t, err == nil && standings.Players >= least, "%d players are in the standings of %s, %v", standings.Players, season, err)
	}
	for _, r := range rivals {
		account, hash, err := table.AccountByEmail(t.Context(), strings.ToLower(r.name)+"@example.com")
		require.True(t, err == nil && account != nil && account.Username == r.name && account.Ranch.Name == r.ranch,
			"%s is %+v, %v", r.name, account, err)
		good, err := password.Verify(hash, rivalPassword)
		assert.True(t, good && err == nil, "%s cannot log in: %v", r.name, err)
		ledger, err := table.Ledger(t.Context(), account.ID)
		assert.True(t, err == nil && slices.IsSortedFunc(ledger, func(a, b game.LedgerEntry) int { return int(a.CreatedAt - b.CreatedAt) }),
			"the ledger of %s is not in the order of its times: %v", r.name, err)
	}
}

// TestSeedDemo_interrupted ends the first run after some of its steps. The next run completes a demo to play in.
func TestSeedDemo_interrupted(t *testing.T) {
	table := demoTable(t)
	for _, steps := range []int{3, 20} { // during the registration of the rivals, and during the first shows
		ctx, cancel := context.WithCancel(t.Context())
		_, err := seedDemo(ctx, table, begun, func(done, _ int) {
			if done == steps {
				cancel()
			}
		})
		assert.ErrorIs(t, err, context.Canceled)
	}
	judgeDue(t, table, begun)
	seed(t, table, begun, len(round))
	seed(t, table, begun.Add(time.Minute), 0)
}

// TestSeedDemo_goesOn uses a table for months, from the beginning of the demo. If few shows are open, the next start
// creates the missing ones, and no two shows have the same name.
func TestSeedDemo_goesOn(t *testing.T) {
	table := demoTable(t)
	at := func(after time.Duration, want int) {
		t.Helper()
		now := begun.Add(after)
		judgeDue(t, table, now)
		seed(t, table, now, want)
		shows, err := table.AllShows(t.Context(), "")
		names := map[string]bool{}
		for _, s := range shows {
			assert.False(t, names[s.Name], "after %v there are two shows called %s", after, s.Name)
			names[s.Name] = true
		}
		open := slices.DeleteFunc(shows, func(s game.ListedShow) bool { return !s.AcceptsEntriesAt(now.Add(day)) })
		season, seasonErr := table.ActiveSeason(t.Context())
		err = errors.Join(err, seasonErr)
		assert.True(t, err == nil && len(open) >= leastShows && season != nil && season.EndDate > now,
			"after %v %d shows are open in %+v, %v", after, len(open), season, err)
	}
	at(0, len(round)+len(history)+len(formerShows))
	checkBeginning(t, table)
	at(2*time.Hour, 0)
	at(5*day, 0)
	at(6*day, len(round)-4) // four rookie shows are still open for days
	at(6*day+time.Minute, 0)
	rival := named(rivals[0].name)
	shows, err := table.Shows(t.Context(), store.ShowQuery{Status: game.ShowOpen, Tier: game.TierRookie})
	require.NoError(t, err)
	for _, s := range shows.Shows { // a player judges each show that a new player can enter
		_, err := table.Judge(t.Context(), rival, s.ID, begun.Add(6*day))
		require.NoError(t, err)
	}
	at(6*day+time.Hour, 7) // the five rookie shows, and two short ones that have closed
	require.NoError(t, table.Operator(operate.NewChange("test", "", begun.Add(9*day))).Ban(t.Context(), rival))
	at(30*day, len(round))
	at(seasonRest, len(round))
	season, err := table.ActiveSeason(t.Context())
	assert.True(t, err == nil && season.Name == "Season 3", "%+v is active, %v", season, err)
	require.NoError(t, table.Operator(operate.NewChange("test", "", begun.Add(seasonRest))).SetSeasonActive(t.Context(), named("season", 3), false))
	at(seasonRest+time.Hour, len(round))
}

// TestSeedDemo_foreign checks that the demo does not touch other seasons and players.
func TestSeedDemo_foreign(t *testing.T) {
	season := game.Season{ID: game.NewID(), Name: "Ours", StartDate: begun, EndDate: begun + 1}
	table := demoTable(t)
	account := game.NewAccount(game.Registration{Email: "me@example.com", Username: rivals[0].name, RanchName: "Mine"}, begun)
	token := game.RefreshRecord{ID: game.NewID(), UserID: account.ID, Digest: "none", ExpiresAt: begun}
	require.NoError(t, table.CreateAccount(t.Context(), account, "hash", nil, game.StarterEntry(account.ID, begun), token))
	shows, err := seedDemo(context.Background(), table, begun, func(int, int) {})
	assert.True(t, err == nil && shows != 0, "beside a player with the name of a rival: %d shows, %v", shows, err)
	other := demoTable(t)
	require.NoError(t, other.Operator(operate.NewChange("test", "", begun)).CreateSeason(t.Context(), season))
	shows, err = seedDemo(t.Context(), other, begun, func(int, int) {})
	assert.True(t, shows == 0 && errors.Is(err, errForeign), "beside another season: %d shows, %v", shows, err)
}
