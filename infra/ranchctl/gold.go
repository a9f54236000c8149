package main

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newGold(a *app) *cobra.Command {
	return group("gold", "Adjust players' gold", newGoldAdjust(a))
}

func newGoldAdjust(a *app) *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "adjust EMAIL|USERNAME|ID AMOUNT --reason TEXT", Args: cobra.ExactArgs(2),
		Short: "Give a user gold or, with an amount below 0, take it: a row of the ledger, with the reason as its description",
		RunE: action(func(ctx context.Context, args []string) error {
			amount, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return usagef("%q is no amount of gold", args[1])
			}
			if err := game.CheckAdjustment(amount, reason); err != nil {
				return wrongInput(err)
			}
			return a.changingUser(func(ctx context.Context, s *store.Store, o store.Operator, user *game.Account) error {
				if err := o.AdjustGold(ctx, user.ID, amount, reason); err != nil {
					return err
				}
				return ledgerRows.changed(a)(s.LedgerRow(ctx, user.ID, a.change.ID))
			})(ctx, args)
		})}
	c.Flags().StringVar(&reason, "reason", "", "why, 1 to 200 characters")
	require(c, "reason")
	return changes(a, c)
}

var negative = regexp.MustCompile(`^-\d+$`)

// amountLast lets the amount of "gold adjust" be below 0, which would be taken for a flag.
func amountLast(args []string) []string {
	command, amount := slices.Index(args, "adjust"), slices.IndexFunc(args, negative.MatchString)
	if command < 1 || args[command-1] != "gold" || amount < command || strings.HasPrefix(args[amount-1], "-") {
		return args
	}
	return slices.Concat(args[:amount], args[amount+1:], []string{"--", args[amount]})
}
