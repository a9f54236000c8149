package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

func newShowRepair(a *app) *cobra.Command {
	c := &cobra.Command{Use: "repair ID --reason REASON", Short: "Repair a show whose transactions are only partly in a restored table",
		Long: `Repair a show whose transactions are only partly in a restored table, which 'ranchctl table verify' finds.

It restores gates, board rows, counts and missing results from the entries, a missing entry from its player's
participation, and a missing participation from its entry. It restores an open or cancelled show's own record from the
boards, and begins refunds again if a fee is not given back. It moves no gold. It prints what it did, and what it leaves
because it could only guess. Exit code 1: something is left. A second repair does nothing. It does not repair prizes and
accounts.

It reads the whole table once, for the preview: 122,000 RCU ($0.015) for a GB, at 40 MB a second at most. Players may keep
playing: it also reads entries that came since, but no receipts of claims that came since.`,
		Example: "  ranchctl show repair 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 --reason 'restored on Monday'"}
	return a.changes(c, func(args []string) (planner, error) {
		a.long = true
		show, err := id("show", args[0]) // no name: its record may be lost
		if err == nil && a.change.Reason == "" {
			err = usagef("give the reason with --reason: it stays in the records")
		}
		return func(ctx context.Context, s operate.Desk) (plan, error) { return a.planRepair(ctx, s, show) }, err
	})
}

func (a *app) planRepair(ctx context.Context, s operate.Desk, show game.ID) (plan, error) {
	traces, err := s.TracesOf(ctx, show)
	if err != nil {
		return plan{}, err
	}
	planned, err := s.PlanRepair(ctx, traces)
	if err != nil && !errors.Is(err, store.ErrUnknownShow) {
		return plan{}, err
	}
	p, left := plan{word: string(show), long: true}, 0
	for _, r := range planned {
		if !r.Done {
			left++
		}
		p.parts = append(p.parts, r.Record+": "+r.What)
	}
	p.change = fmt.Sprintf("repair %s of the show %s", counted(len(planned)-left, "record", "records"), show)
	if left > 0 {
		p.change += fmt.Sprintf(", and leave %s unrepaired", counted(left, "other record", "other records"))
	}
	p.do = func(ctx context.Context, o operate.Operator) error {
		repairs, err := o.RepairShow(ctx, traces)
		return a.printRepairs(show, repairs, err)
	}
	return p, nil
}

// repair is the printed form of a repair.
type repair struct {
	Subject string `json:"subject"`
	operate.Repair
}

var showRepairs = listing[repair]{"RECORD DONE WHAT", func(r repair) []any { return []any{r.Record, r.Done, r.What} }}

// printRepairs prints the repairs, done or not, also if err is not nil. If records are left unrepaired, it fails.
func (a *app) printRepairs(show game.ID, repairs []operate.Repair, err error) error {
	printed, left := make([]repair, len(repairs)), 0
	for i, r := range repairs {
		printed[i] = repair{"show " + string(show), r}
		if !r.Done {
			left++
		}
	}
	if err != nil && len(printed) == 0 {
		return err
	}
	if err := showRepairs.report(a, printed, "The show needs no repair.", nil); err != nil {
		return mark(made, err)
	}
	if err == nil && left > 0 {
		return fmt.Errorf("records of the show that are left unrepaired: %d", left)
	}
	return err
}
