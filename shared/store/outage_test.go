package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// reads are all kinds of reads, in a fair whose player has a judged entry, with their answers.
var reads = map[string]func(ctx context.Context, f fair) (any, error){
	"account":       func(ctx context.Context, f fair) (any, error) { return f.Account(ctx, f.Ann.ID) },
	"with password": func(ctx context.Context, f fair) (any, error) { return f.WithPassword(ctx, f.Ann.Account) },
	"by email": func(ctx context.Context, f fair) (any, error) {
		a, _, err := f.AccountByEmail(ctx, f.Ann.Email)
		return a, err
	},
	"by username": func(ctx context.Context, f fair) (any, error) { return f.AccountsByUsername(ctx, f.Ann.Username) },
	"find": func(ctx context.Context, f fair) (any, error) {
		found, _, err := f.FindAccounts(ctx, f.Ann.Email, 1)
		return found, err
	},
	"entry count": func(ctx context.Context, f fair) (any, error) { return f.EntryCount(ctx, f.Ann.ID) },
	"planned repair": func(ctx context.Context, f fair) (any, error) {
		traces, err := f.TracesOf(ctx, f.Show.ID)
		if err != nil {
			return nil, err
		}
		return f.PlanRepair(ctx, traces)
	},
	"played": func(ctx context.Context, f fair) (any, error) { return f.PlayedShows(ctx, f.Ann.ID) },
	"standings": func(ctx context.Context, f fair) (any, error) {
		return f.SeasonStandings(ctx, f.Ann.ID, store.StandingsAt{After: f.Ann.ID, Limit: 3})
	},
	"top standings": func(ctx context.Context, f fair) (any, error) { return f.TopStandings(ctx, f.Season.ID, 0) },
	"unfolded": func(ctx context.Context, f fair) (any, error) {
		all, err := f.Unfolded(ctx, f.Now)
		return fmt.Sprint(all), err
	},
	"refresh": func(ctx context.Context, f fair) (any, error) {
		record, account, err := f.RefreshRecord(ctx, f.Ann.Refresh.Digest, f.Ann.ID)
		return []any{record, account}, err
	},
	"animals": func(ctx context.Context, f fair) (any, error) { return f.Animals(ctx, f.Ann.ID) },
	"animal":  func(ctx context.Context, f fair) (any, error) { return f.Animal(ctx, f.Ann.ID, f.Ann.Animals[0].ID) },
	"ledger":  func(ctx context.Context, f fair) (any, error) { return f.Ledger(ctx, f.Ann.ID) },
	"ledger row": func(ctx context.Context, f fair) (any, error) {
		rows, err := f.Rival.Ledger(context.WithoutCancel(ctx), f.Ann.ID)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		return f.LedgerRow(ctx, f.Ann.ID, rows[0].ID)
	},
	"list":    func(ctx context.Context, f fair) (any, error) { return f.Shows(ctx, store.ShowQuery{}) },
	"all":     func(ctx context.Context, f fair) (any, error) { return f.AllShows(ctx, "") },
	"due":     func(ctx context.Context, f fair) (any, error) { return f.DueShows(ctx, f.Show.EntryClosesAt, 10) },
	"ledgers": func(ctx context.Context, f fair) (any, error) { return sortedAudits(ctx, f.Desk) },
	"table": func(ctx context.Context, f fair) (any, error) {
		return f.AuditTable(ctx, f.Now, func(upkeep.LedgerAudit) error { return nil })
	},
	"verify":     func(ctx context.Context, f fair) (any, error) { return f.AuditLedger(ctx, f.Ann.ID) },
	"pending":    func(ctx context.Context, f fair) (any, error) { return f.Pending(ctx, f.Now) },
	"unfinished": func(ctx context.Context, f fair) (any, error) { return f.Unfinished(ctx) },
	"unrefunded": func(ctx context.Context, f fair) (any, error) {
		cancelled, err := f.Rival.AllShows(context.WithoutCancel(ctx), "")
		if err != nil || len(cancelled) == 0 {
			return nil, err
		}
		cancelled[0].Status = game.ShowCancelled
		return f.Unrefunded(ctx, cancelled)
	},
	"layout":      func(ctx context.Context, f fair) (any, error) { return nil, f.CheckLayout(ctx) },
	"public keys": func(ctx context.Context, f fair) (any, error) { return f.PublicKeys(ctx) },
	"detail": func(ctx context.Context, f fair) (any, error) {
		show, entries, err := f.ShowWithEntries(ctx, f.Show.ID)
		return []any{show, entries}, err
	},
	"caller": func(ctx context.Context, f fair) (any, error) { return nil, f.CheckCaller(ctx, f.Ann.ID) },
	"entries of a show": func(ctx context.Context, f fair) (any, error) {
		return f.ShowEntries(ctx, f.Ann.ID, f.Show.ID, store.EntriesAt{Around: true, Limit: 2})
	},
	"own entries": func(ctx context.Context, f fair) (any, error) {
		return f.OwnEntries(ctx, f.Ann.ID, store.OwnQuery{Limit: 3})
	},
	"own entries in a show": func(ctx context.Context, f fair) (any, error) {
		return f.OwnEntries(ctx, f.Ann.ID, store.OwnQuery{Show: f.Show.ID, Limit: 3})
	},
	"own entries with unclaimed prizes": func(ctx context.Context, f fair) (any, error) {
		return f.OwnEntries(ctx, f.Ann.ID, store.OwnQuery{All: true, Unclaimed: true, Limit: 3})
	},
	"unclaimed prizes": func(ctx context.Context, f fair) (any, error) {
		prizes, gold, err := f.UnclaimedPrizes(ctx, f.Season.ID)
		return []any{prizes, gold}, err
	},
	"explained entry": func(ctx context.Context, f fair) (any, error) {
		around, weights, err := f.ExplainEntry(ctx, f.Show.ID, f.Ann.Animals[1].ID)
		return []any{around, weights}, err
	},
	"record":     func(ctx context.Context, f fair) (any, error) { return f.ShowRecord(ctx, f.Show.ID) },
	"season":     func(ctx context.Context, f fair) (any, error) { return f.ActiveSeason(ctx) },
	"one season": func(ctx context.Context, f fair) (any, error) { return f.Store.Season(ctx, f.Scene.Season.ID) },
	"audit":      func(ctx context.Context, f fair) (any, error) { return f.Audit(ctx, f.Now, f.Now+1) },
	"audit record": func(ctx context.Context, f fair) (any, error) {
		records, err := f.Rival.Audit(context.WithoutCancel(ctx), f.Now, f.Now+1)
		if err != nil || len(records) == 0 {
			return nil, err
		}
		return f.AuditRecord(ctx, records[0].ID)
	},
	"audit head":  func(ctx context.Context, f fair) (any, error) { return f.AuditHead(ctx) },
	"audit chain": func(ctx context.Context, f fair) (any, error) { return f.VerifyAudit(ctx, f.Now) },
	"seasons":     func(ctx context.Context, f fair) (any, error) { return f.Seasons(ctx) },
	"latest":      func(ctx context.Context, f fair) (any, error) { return f.LatestSeasons(ctx, f.Ann.ID) },
	"score":       func(ctx context.Context, f fair) (any, error) { return f.SeasonScore(ctx, f.Ann.ID, f.Season.ID) },
}

// readsOfOneFair returns a fair for reads: with a completed show of three gates, and an open show.
func readsOfOneFair(t *testing.T) fair {
	t.Helper()
	f := newFair(t, game.TierRookie, 0, 3).judged(t, 0, 1, 2)
	f.MustFold(t)
	checkError(t, f.PublishKeys(t.Context(), published("ours", f.Now, "k1")), nil)
	f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Tier("pro"), storetest.Fee(0), storetest.Gates(5)), 0)
	return f
}

func TestReadsSurviveFaults(t *testing.T) {
	t.Parallel()
	f := readsOfOneFair(t)
	want := map[string]any{}
	for name, read := range reads {
		answer, err := read(t.Context(), f)
		require.NoError(t, err, name)
		want[name] = answer
	}
	for label, fault := range map[string]storetest.Fault{
		"throttling": storetest.Throttle, "server error": storetest.Unavailable, "lost answer": storetest.LoseAnswer, "reset": storetest.Refuse,
		"proxy's page": proxied[0], "proxy's refusal": proxied[1], "answer without a body": proxied[2],
		"refused signature": storetest.Unsigned,
		"half an answer":    storetest.CutAnswer, "answer that stalls": storetest.StallAnswer, "unprocessed keys": storetest.Unprocessed,
	} {
		for name, read := range reads {
			if label == "unprocessed keys" {
				f.Wire.Next("BatchGetItem", fault, fault)
			} else {
				for _, operation := range []string{"GetItem", "BatchGetItem", "Query", "Scan"} {
					f.Wire.Next(operation, fault)
				}
			}
			answer, err := read(t.Context(), f)
			assert.NoError(t, err, "%s after a %s", name, label)
			storetest.Equal(t, name+" after a "+label, answer, want[name])
			f.Wire.Forget()
		}
	}
}

// If the table does not answer, reads fail after 1 to 8 s, whatever the caller's deadline. Later reads succeed.
func TestTableIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	silence := func(w *storetest.Wire) {
		for range 100 {
			for _, operation := range []string{"GetItem", "BatchGetItem", "Query", "Scan"} {
				w.Next(operation, storetest.Hang)
			}
		}
	}
	for name, fail := range map[string]func(w *storetest.Wire){"refused": (*storetest.Wire).Cut, "silent": silence} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, labels := readsOfOneFair(t), slices.Collect(maps.Keys(reads))
			fail(f.Wire)
			atOnce(t, len(labels), func(i int) error {
				start := time.Now()
				answer, err := reads[labels[i]](t.Context(), f)
				assert.Error(t, err, "%s: got %v", labels[i], answer)
				took := time.Since(start)
				assert.True(t, took >= time.Second && took <= 8*time.Second, "%s: took %v", labels[i], took)
				return nil
			}, nil)
			f.Wire.Reconnect()
			f.Wire.Forget()
			for label, read := range reads {
				_, err := read(t.Context(), f)
				assert.NoError(t, err, "%s", label)
			}
		})
	}
}

func TestWritesDuringAnOutage(t *testing.T) {
	t.Parallel()
	var fairs []fair
	for _, w := range writes {
		f := w.fair(t)
		f.Wire.Cut()
		fairs = append(fairs, f)
	}
	failAtOnce(t, fairs)
	for i, f := range fairs {
		f.Wire.Reconnect()
		err := writes[i].do(t.Context(), f)
		assert.NoError(t, err, "%s", writes[i].name)
		writes[i].check(t, f)
		f.Invariants(t)
	}
}

// Logging out survives faults like a transaction, because it is idempotent.
func TestLogoutSurvivesFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("DeleteItem", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer, storetest.Refuse)
	checkError(t, f.DeleteRefreshRecord(t.Context(), f.Ann.Refresh.Digest), nil)
	f.CheckFaults(t)
	record, _, err := f.RefreshRecord(t.Context(), f.Ann.Refresh.Digest, f.Ann.ID)
	assert.True(t, record == nil && err == nil, "%v, %v", record, err)
	f.Wire.Cut()
	assert.Error(t, f.DeleteRefreshRecord(soon(t), f.Ann.Refresh.Digest), "deleted without a table")
}

// A lease survives faults. If its answer was lost, it counts as taken.
func TestLeasesSurviveFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	late := f.AddPlayer(t, storetest.Bob)
	f.Meanwhile(func() { f.MustEnter(t, late, f.Show, 0) })
	f.Wire.Next("UpdateItem", storetest.LoseAnswer, storetest.Throttle, storetest.ConflictPlainWrite, storetest.Unavailable, storetest.ConflictPlainWrite, storetest.LoseAnswer)
	ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
	assert.True(t, err == nil && len(ranked) == 1, "%v, %v", ranked, err)
}

// Results survive faults: whatever happens to the answers, readers find all of them.
func TestResultsSurviveFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	f.Wire.Next("PutItem", storetest.Throttle, storetest.LoseAnswer, storetest.Unavailable, storetest.Refuse)
	checkError(t, f.judge(t.Context()), nil)
	f.CheckFaults(t)
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	assert.True(t, err == nil && len(entries) == 2 && ranked(entries), "%v, %v", entries, err)
	f.Invariants(t)
}

// If the caller cancels the context, the call ends with context.Canceled, and its error does not blame the table.
func TestCancelledCallsEnd(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	ctx, cancel := context.WithCancel(t.Context())
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Before(cancel))
	err := f.enter(ctx, f.Ann, 0)
	assert.True(t, errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "the table has failed"), "got %v", err)
	for _, operation := range []string{"GetItem", "BatchGetItem", "Query", "Scan"} {
		f.Wire.Next(operation, storetest.Before(func() { t.Error("went on") }))
	}
	checkError(t, f.enter(ctx, f.Ann, 0), context.Canceled)
	for name, read := range reads {
		answer, err := read(ctx, f)
		assert.ErrorIs(t, err, context.Canceled, "%s: got %v, %v", name, answer, err)
	}
	f.Wire.Forget()
}
