package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// judgePatience is what a judging of the largest shows needs, and what else judges is given.
const judgePatience = 60 * time.Second

func newShowJudge(a *app) *cobra.Command {
	return changes(a, &cobra.Command{Use: "judge ID", Short: "Judge an open show now, as a player might, whether or not it still accepts entries", Args: cobra.ExactArgs(1),
		RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.changing(func(inner context.Context, s *store.Store, o store.Operator, _ []string) error {
				ctx, cancel := context.WithTimeout(ctx, judgePatience)
				defer cancel()
				if _, err := o.JudgeShow(ctx, show); err != nil {
					return err
				}
				return afterwards(a.printShow(ctx, s, show))
			})(ctx, args)
		})})
}

func newShowCancel(a *app) *cobra.Command {
	return changes(a, &cobra.Command{Use: "cancel ID", Short: "Cancel an open show for good, and give all entry fees back",
		Long: `Cancel an open show for good, and give all entry fees back.

Entries end at once. Each fee comes back as a row of its player's ledger, whoever that is by now.
Where that is interrupted, the same command goes on: no fee comes back twice.`,
		Args: cobra.ExactArgs(1),
		RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.changing(func(inner context.Context, s *store.Store, o store.Operator, _ []string) error {
				if err := o.CancelShow(inner, show); err != nil {
					return err
				}
				if err := a.refund(ctx, o, show); err != nil { // which may take longer than one call
					return fmt.Errorf("the show is cancelled, but fees are still to be given back, and the same command goes on: %w", err)
				}
				ctx, cancel := context.WithTimeout(ctx, callPatience)
				defer cancel()
				return afterwards(a.printShow(ctx, s, show))
			})(ctx, args)
		})})
}

// refund gives a cancelled show's fees back, and tells how far it has come.
func (a *app) refund(ctx context.Context, o store.Operator, show game.ID) error {
	progress := a.progress("entries refunded")
	defer progress.end()
	return o.Refund(ctx, show, progress.at)
}
