package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/upkeep"
)

type table interface {
	AuditTable(ctx context.Context, now game.Instant, visit func(upkeep.LedgerAudit) error) (upkeep.TableAudit, error)
}

// mostNamed is how many users with a difference a log line names at most: CloudWatch accepts lines of up to 256 KB.
const mostNamed = 1000

func job(table table) schedule.Job { return schedule.New("audit-ledgers", handler{table}.audit) }

type handler struct{ table table }

// audit compares every account's balance with its ledger. The log line has the number of differences, of deleted results
// (leftovers) and of removed names. Only a complete audit reports the number of compared ledgers, for which AuditAlarm
// waits, and no differences, which would end LedgerDriftAlarm. If audit fails or its time ends, it returns an error and
// the report of what it has done.
func (h handler) audit(ctx context.Context, now game.Instant) (schedule.Report, error) {
	users, audited := []game.ID{}, int64(0) // users whose ledger differs from the balance
	found, err := h.table.AuditTable(ctx, now, func(audit upkeep.LedgerAudit) error {
		audited++
		tally.Add(ctx, tally.LedgerDrift, int64(len(audit.Differences)))
		if len(audit.Differences) > 0 && len(users) < mostNamed {
			users = append(users, audit.User)
		}
		return nil
	})
	if ctx.Err() != nil {
		err = fmt.Errorf("the function's time was over after %d ledgers: the rest waits for tomorrow's run, so give the function more time in template.yaml: %w", audited, err)
	}
	tally.Add(ctx, tally.Leftovers, int64(found.Leftovers))
	tally.Add(ctx, tally.NamesHidden, int64(found.NamesHidden))
	always := []tally.Figure{tally.Leftovers, tally.NamesHidden}
	if err == nil {
		tally.Add(ctx, tally.LedgersAudited, audited)
		always = append(always, tally.LedgersAudited, tally.LedgerDrift)
	}
	return schedule.Report{Line: []slog.Attr{slog.Any("drift_users", users), slog.Bool("complete", err == nil)}, Always: always}, err
}
