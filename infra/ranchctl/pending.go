package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

func newPending(a *app) *cobra.Command {
	return &cobra.Command{Use: "pending", Short: "List work that was begun or is due, and is not finished", Example: "  ranchctl pending", RunE: a.patiently(a.listPending),
		Long: `List work that was begun or is due, and is not finished, with the command that finishes it. Exit code 1: there is some.

  refunds  a cancelled show has entries whose fee is not given back
  names    entries may still show the old name of a renamed or deleted user
  judging  a show has closed and is not judged

The scheduled function FinishPending finishes refunds and names within minutes. This command costs 1 RCU for each
cancelled show, and the reads of the pending work.`}
}

// pendingWork is the printed form of pending work.
type pendingWork struct {
	Work    string        `json:"work"`
	Subject string        `json:"subject"`
	Since   *game.Instant `json:"since"`
	Left    int           `json:"left"`
	Finish  string        `json:"finish"`
}

var pendingWorks = listing[pendingWork]{"WORK SUBJECT SINCE LEFT FINISH", func(w pendingWork) []any {
	return []any{w.Work, w.Subject, orDash(w.Since), w.Left, w.Finish}
}}

func (a *app) newPendingWork(w store.PendingWork) pendingWork {
	printed := pendingWork{Work: w.Work, Left: w.Left}
	if w.Since > 0 {
		printed.Since = &w.Since
	}
	switch w.Work {
	case store.WorkNames:
		printed.Subject, printed.Finish = "user "+string(w.User), a.toType("user", "set", string(w.User), "--username", w.Name)
		if w.Name == game.DeletedPlayer {
			printed.Finish = a.toType("user", "delete", string(w.User))
		}
	case store.WorkRefunds:
		printed.Subject, printed.Finish = "show "+string(w.Show), a.toType("show", "cancel", string(w.Show))
		if w.Torn {
			printed.Finish = a.toType("show", "repair", string(w.Show), "--reason", "unpaid refunds") + " && " + printed.Finish
		}
	default:
		printed.Subject, printed.Finish = "show "+string(w.Show), a.toType("show", "judge", string(w.Show))
	}
	return printed
}

func (a *app) listPending(ctx context.Context, s operate.Desk) error {
	found, err := s.Pending(ctx, game.InstantOf(a.clock()))
	if err != nil {
		return err
	}
	works := make([]pendingWork, len(found))
	for i, w := range found {
		works[i] = a.newPendingWork(w)
	}
	var wrong error
	if len(works) > 0 {
		wrong = fmt.Errorf("pending work: %d", len(works))
	}
	return pendingWorks.report(a, works, "Nothing is pending.", wrong)
}
