package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

type ledgers interface {
	AuditLedgers(ctx context.Context, visit func(store.LedgerAudit) error) error
}

// mostNamed is how many users with a difference the line names: it must stay below CloudWatch's 256 KB.
const mostNamed = 1000

func job(ledgers ledgers) schedule.Job { return schedule.New("audit-ledgers", handler{ledgers}.audit) }

type handler struct{ ledgers ledgers }

// audit counts the ledgers that it has compared and the differences that it has found, also where it could not compare
// all of them.
func (h handler) audit(ctx context.Context, _ game.Instant) (schedule.Report, error) {
	users, audited := []game.ID{}, int64(0) // with a difference
	err := h.ledgers.AuditLedgers(ctx, func(audit store.LedgerAudit) error {
		audited++
		tally.Add(ctx, tally.LedgersAudited, 1)
		tally.Add(ctx, tally.LedgerDrift, int64(len(audit.Differences)))
		if len(audit.Differences) > 0 && len(users) < mostNamed {
			users = append(users, audit.User)
		}
		return nil
	})
	if ctx.Err() != nil {
		err = fmt.Errorf("time was over after %d ledgers: %w", audited, err)
	}
	return schedule.Report{
		Line:   []slog.Attr{slog.Any("drift_users", users), slog.Bool("complete", err == nil)},
		Always: []tally.Figure{tally.LedgersAudited, tally.LedgerDrift},
	}, err
}
