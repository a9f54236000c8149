package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
)

// begun is when the demo of these tests begins.
var begun = game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))

// demoTable returns an empty table with a clock that stands still.
func demoTable(t *testing.T) *store.Store {
	t.Helper()
	e := startEngine(t)
	if err := engine.CreateTable(t.Context(), e.Client(), stack.TableName); err != nil {
		t.Fatal(err)
	}
	return store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, begun.Time)
}

// seed calls seedDemo. The test fails unless the call creates as many shows as wanted and the whole table is correct.
func seed(t *testing.T, table *store.Store, now game.Instant, want int) {
	t.Helper()
	if shows, err := seedDemo(t.Context(), table, now, func(int, int) {}); err != nil || shows != want {
		t.Errorf("at %v it creates %d shows, %v; want %d", now, shows, err, want)
	}
	_, problems, err := invariants.Verify(t.Context(), table, func(int) {})
	if err != nil || len(problems) > 0 {
		t.Errorf("the table is wrong: %v, %v", err, problems)
	}
	chain, err := table.VerifyAudit(t.Context(), now)
	if err != nil || len(chain.Problems) > 0 {
		t.Errorf("the records of changes are wrong: %v, %v", err, chain.Problems)
	}
}

// judgeDue judges due shows, as the schedule does.
func judgeDue(t *testing.T, table *store.Store, now game.Instant) {
	t.Helper()
	due, err := table.DueShows(t.Context(), now, 1000)
	for _, show := range due {
		_, judgeErr := table.JudgeDue(t.Context(), show.ID, now)
		err = errors.Join(err, judgeErr)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkBeginning checks the table at the beginning of the demo.
func checkBeginning(t *testing.T, table *store.Store) {
	t.Helper()
	shows, err := table.AllShows(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
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
		if s.Status != want || s.EntryCount != int64(plan.entries) || s.JudgedAt != nil && (*s.JudgedAt >= begun || *s.JudgedAt < s.EntryClosesAt) {
			t.Errorf("%s is %s with %d entries, judged at %v; want %+v", s.Name, s.Status, s.EntryCount, s.JudgedAt, plan)
		}
		record, err := table.ShowRecord(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if record.RefundedAt != nil && s.EntryFee > 0 {
			refunded++
		}
	}
	if refunded != 2 {
		t.Errorf("the fees of %d shows are given back", refunded)
	}
	active, err := table.ActiveSeason(t.Context())
	if err != nil || active == nil || active.Name != "Season 2" || active.StartDate >= begun || active.EndDate <= begun {
		t.Fatalf("%+v is active, %v", active, err)
	}
	for season, least := range map[game.ID]int{active.ID: len(rivals), named("season", formerSeason): 3} {
		standings, err := table.SeasonStandings(t.Context(), season, 100)
		if err != nil || len(standings) < least {
			t.Errorf("%d players have points in %s, %v", len(standings), season, err)
		}
	}
	for _, r := range rivals {
		account, hash, err := table.AccountByEmail(t.Context(), strings.ToLower(r.name)+"@example.com")
		if err != nil || account == nil || account.Username != r.name || account.Ranch.Name != r.ranch {
			t.Fatalf("%s is %+v, %v", r.name, account, err)
		}
		if good, err := password.Verify(hash, rivalPassword); !good || err != nil {
			t.Errorf("%s cannot log in: %v", r.name, err)
		}
		ledger, err := table.Ledger(t.Context(), account.ID)
		if err != nil || !slices.IsSortedFunc(ledger, func(a, b game.LedgerEntry) int { return int(a.CreatedAt - b.CreatedAt) }) {
			t.Errorf("the ledger of %s is not in the order of its times: %v", r.name, err)
		}
	}
}

// TestSeedDemo_interrupted ends the seeding after every tenth step, and continues it later. It does so for a new table,
// another round and another season. At the end the table is correct, no show is missing, and another run creates none.
func TestSeedDemo_interrupted(t *testing.T) {
	table := demoTable(t)
	total := 0
	for _, c := range []struct {
		after, later time.Duration // the start, and the time from each run to the next
		shows        int
	}{
		{0, time.Second, len(round) + len(history) + len(formerShows)},
		{7 * day, time.Second, len(round)},
		{seasonRest, 0, len(round)}, // the old season ends during a run, and the new one begins with the next
	} {
		now := begun.Add(c.after)
		judgeDue(t, table, now)
		runs := 0
		for err := context.Canceled; err != nil; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			_, err = seedDemo(ctx, table, now.Add(time.Duration(runs)*c.later), func(done, _ int) {
				if done == 10*(runs+1) {
					cancel()
				}
			})
			if cancel(); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("run %d: %v", runs, err)
			}
		}
		seed(t, table, now.Add(time.Hour), 0)
		shows, err := table.AllShows(t.Context(), "")
		if total += c.shows; err != nil || len(shows) != total || runs < 4 {
			t.Errorf("%v: after %d interruptions there are %d shows, %v; want %d", c.after, runs-1, len(shows), err, total)
		}
	}
}

// TestSeedDemo_goesOn uses a table for months, from the beginning of the demo. If few shows are open, the next start
// creates more shows.
func TestSeedDemo_goesOn(t *testing.T) {
	table := demoTable(t)
	at := func(after time.Duration, want int) {
		t.Helper()
		now := begun.Add(after)
		judgeDue(t, table, now)
		seed(t, table, now, want)
		shows, err := table.AllShows(t.Context(), game.ShowOpen)
		open := slices.DeleteFunc(shows, func(s game.ListedShow) bool { return !s.AcceptsEntriesAt(now.Add(day)) })
		season, seasonErr := table.ActiveSeason(t.Context())
		if err := errors.Join(err, seasonErr); err != nil || len(open) < leastShows || season == nil || season.EndDate <= now {
			t.Errorf("after %v %d shows are open in %+v, %v", after, len(open), season, err)
		}
	}
	at(0, len(round)+len(history)+len(formerShows))
	checkBeginning(t, table)
	at(2*time.Hour, 0)
	at(5*day, 0)
	at(6*day, len(round))
	at(6*day+time.Minute, 0)
	rival := named(rivals[0].name)
	shows, err := table.Shows(t.Context(), store.ShowQuery{Status: game.ShowOpen, Tier: game.TierRookie})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shows.Shows { // a player judges each show that a new player can enter
		if _, err := table.Judge(t.Context(), rival, s.ID, begun.Add(6*day)); err != nil {
			t.Fatal(err)
		}
	}
	at(6*day+time.Hour, len(round))
	if err := table.Operator(store.NewChange("test", "", begun.Add(9*day))).Ban(t.Context(), rival); err != nil {
		t.Fatal(err)
	}
	at(30*day, len(round))
	at(seasonRest, len(round))
	if season, err := table.ActiveSeason(t.Context()); err != nil || season.Name != "Season 3" {
		t.Errorf("%+v is active, %v", season, err)
	}
	if err := table.Operator(store.NewChange("test", "", begun.Add(seasonRest))).SetSeasonActive(t.Context(), named("season", 3), false); err != nil {
		t.Fatal(err)
	}
	at(seasonRest+time.Hour, len(round))
}

// TestSeedDemo_foreign checks that the demo does not touch other seasons and players.
func TestSeedDemo_foreign(t *testing.T) {
	season := game.Season{ID: game.NewID(), Name: "Ours", StartDate: begun, EndDate: begun + 1}
	table := demoTable(t)
	account := game.NewAccount(game.Registration{Email: "me@example.com", Username: rivals[0].name, RanchName: "Mine"}, begun)
	token := game.RefreshRecord{ID: game.NewID(), UserID: account.ID, Digest: "none", ExpiresAt: begun}
	if err := table.CreateAccount(t.Context(), account, "hash", nil, game.StarterEntry(account.ID, begun), token); err != nil {
		t.Fatal(err)
	}
	if shows, err := seedDemo(context.Background(), table, begun, func(int, int) {}); err != nil || shows == 0 {
		t.Errorf("beside a player with the name of a rival: %d shows, %v", shows, err)
	}
	other := demoTable(t)
	if err := other.Operator(store.NewChange("test", "", begun)).CreateSeason(t.Context(), season); err != nil {
		t.Fatal(err)
	}
	if shows, err := seedDemo(t.Context(), other, begun, func(int, int) {}); shows != 0 || !errors.Is(err, errForeign) {
		t.Errorf("beside another season: %d shows, %v", shows, err)
	}
	if err := keepDemo(t.Context(), other, begun); err != nil {
		t.Error(err)
	}
}
