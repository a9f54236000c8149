package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/upkeep"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// found returns the figures of a run that has compared ledgers and has repaired nothing.
func found(audited, drift float64) map[string]float64 {
	return map[string]float64{"LedgersAudited": audited, "LedgerDrift": drift, "Leftovers": 0, "NamesHidden": 0}
}

// partly returns the figures of a run that has not compared all ledgers. It reports no LedgerDrift of 0.
func partly(drift float64) map[string]float64 {
	figures := map[string]float64{"Leftovers": 0, "NamesHidden": 0}
	if drift > 0 {
		figures["LedgerDrift"] = drift
	}
	return figures
}

// check compares the figures of a run, and its users with differences.
func check(t *testing.T, run functiontest.Run, figures map[string]float64, users ...game.ID) {
	t.Helper()
	named := []any{}
	for _, user := range users {
		named = append(named, string(user))
	}
	want := map[string]any{
		"level": "INFO", "msg": "run", "function": "audit-ledgers", "version": "7", "drift_users": named, "complete": run.Err == nil,
	}
	if run.Err != nil {
		want["level"], want["error"], figures["Faults"] = "ERROR", run.Err.Error(), 1
	}
	for name, value := range figures {
		want[name] = value
	}
	assert.Empty(t, cmp.Diff(want, run.Line), "the log (-want +got)")
	assert.Empty(t, cmp.Diff(figures, run.Metrics), "the metrics (-want +got)")
}

// If all ledgers are right, the metric is 0, not missing. A changed ledger row is a difference until it is restored.
func TestAuditLedgers(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	check(t, b.Run(t), found(0, 0))
	b.AddFair(t)
	b.MustEnter(t, b.Ann, b.Show, 0)
	bob := b.AddPlayer(t, storetest.Bob)
	b.AddExternal(t, storetest.Cid, "")
	b.Unchanged(t, func() { check(t, b.Run(t), found(3, 0)) })
	row := b.At("USER#"+string(bob.ID), fmt.Sprintf("LEDGER#%012d", 1))
	right := row.Read(t)
	row.Edit(t, "SET am = :more", map[string]any{":more": 600})
	check(t, b.Run(t), found(3, 2), bob.ID) // of the row's own balance, and of the account's
	row.Restore(t, right)
	check(t, b.Run(t), found(3, 0))
}

// If a run cannot finish, its line has the differences so far, no number of ledgers, and "complete" is false.
func TestWhatIsNotAudited(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	gone := errors.New("table gone")
	b.Job = job(ledgers{2, func(context.Context) error { return gone }})
	run := b.Run(t)
	check(t, run, partly(1), storetest.ID(1))
	assert.ErrorIs(t, run.Err, gone)
	b.Job = job(ledgers{1, func(context.Context) error { return gone }})
	check(t, b.Run(t), partly(0))
	b.Job, b.Time = job(ledgers{2, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}), time.Second
	run = b.Run(t)
	check(t, run, partly(1), storetest.ID(1))
	assert.True(t, errors.Is(run.Err, context.DeadlineExceeded) && strings.Contains(run.Err.Error(), "after 2 ledgers"), run.Err)
}

// If more than mostNamed users have differences, the line names the first mostNamed of them. The metric counts all.
func TestMuchDrift(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	b.Job = job(ledgers{mostNamed + 2, func(context.Context) error { return nil }})
	run := b.Run(t)
	named := run.Line["drift_users"].([]any)
	assert.True(t, len(named) == mostNamed && run.Metrics["LedgerDrift"] == mostNamed+1 && run.Err == nil,
		"%d named, %v, %v", len(named), run.Metrics, run.Err)
}

// ledgers stands in for a table with n ledgers. All but the first have a difference. At last, an audit calls end.
type ledgers struct {
	n   int
	end func(ctx context.Context) error
}

func (l ledgers) AuditTable(ctx context.Context, _ game.Instant, visit func(upkeep.LedgerAudit) error) (upkeep.TableAudit, error) {
	for n := range l.n {
		audit := upkeep.LedgerAudit{User: storetest.ID(n)}
		if n > 0 {
			audit.Differences = []string{"the balance is 7, the amounts add up to 8"}
		}
		if err := visit(audit); err != nil {
			return upkeep.TableAudit{}, err
		}
	}
	return upkeep.TableAudit{}, l.end(ctx)
}
