package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/upkeep"
)

func newLedger(a *app) *cobra.Command {
	return group("ledger", "Look at and verify the gold ledger",
		&cobra.Command{Use: "list USER", Short: "List a user's ledger rows, oldest first", Example: "  ranchctl ledger list ann@example.com", RunE: a.readingUser(
			func(ctx context.Context, s operate.Desk, user *game.Account) error {
				return ledgerRows.list(a)(s.Ledger(ctx, user.ID))
			})},
		&cobra.Command{Use: "verify [USER]", Short: "Check a user's ledger against the balance, or the ledgers of all users",
			Example: "  ranchctl ledger verify ann@example.com", RunE: a.parsing(a.verifyLedgers)},
	)
}

var ledgerRows = listing[game.LedgerEntry]{"SEQ AT CATEGORY AMOUNT BALANCE DESCRIPTION REF", func(r game.LedgerEntry) []any {
	return []any{r.Seq, r.CreatedAt, r.Category, r.Amount, r.BalanceAfter, r.Description, orDash(r.RefID)}
}}

// audit is the printed audit of one user's ledger.
type audit struct {
	UserID      game.ID  `json:"user_id"`
	Email       string   `json:"email"`
	Balance     int64    `json:"balance"`
	Rows        int      `json:"rows"`
	Differences []string `json:"differences"`
}

var ledgerAudits = listing[audit]{"USER EMAIL BALANCE ROWS DIFFERENCES", func(x audit) []any {
	return []any{x.UserID, orAbsent(x.Email), x.Balance, x.Rows, fmt.Sprint(x.Differences)}
}}

func auditOf(found upkeep.LedgerAudit, email string) audit {
	return audit{found.User, email, found.Balance, found.Rows, append([]string{}, found.Differences...)}
}

// verifyLedgers prints accounts with differences, and fails if there are any. JSON and CSV always have a given user.
func (a *app) verifyLedgers(args []string) (reader, error) {
	if a.long = len(args) == 0; a.long {
		return a.verifyAll, nil
	}
	return a.withUser(args[0], func(ctx context.Context, s operate.Desk, user *game.Account) error {
		found, err := s.AuditLedger(ctx, user.ID)
		if err != nil {
			return err
		}
		return a.printAudits([]audit{auditOf(found, user.Email)}, 1)
	})
}

func (a *app) verifyAll(ctx context.Context, s operate.Desk) error {
	wrong, accounts := []audit{}, 0
	verified := a.progress("ledgers verified")
	err := s.AuditLedgers(ctx, func(found upkeep.LedgerAudit) error {
		if len(found.Differences) > 0 {
			email := "" // of an account that cannot be read
			if account, _ := s.Account(ctx, found.User); account != nil {
				email = account.Email
			}
			wrong = append(wrong, auditOf(found, email))
		}
		accounts++
		verified.At(accounts, 0)
		return nil
	})
	verified.End()
	if err != nil { // print what has been found so far
		return errors.Join(a.printAudits(wrong, accounts), err)
	}
	return a.printAudits(wrong, accounts)
}

func (a *app) printAudits(audits []audit, accounts int) error {
	differences := 0
	for _, checked := range audits {
		differences += len(checked.Differences)
	}
	var wrong error
	if differences > 0 {
		wrong = fmt.Errorf("%d differences in %d of %d ledgers", differences, len(audits), accounts)
	} else if a.format == "table" {
		audits = nil
	}
	return ledgerAudits.report(a, audits, fmt.Sprintf("%d of %d ledgers are right.", accounts, accounts), wrong)
}

func newGold(a *app) *cobra.Command {
	return group("gold", "Adjust players' gold", newGoldAdjust(a), newGoldSetFromLedger(a))
}

func newGoldSetFromLedger(a *app) *cobra.Command {
	return a.changes(&cobra.Command{Use: "set-from-ledger USER", Short: "Set a wrong balance to the sum of the ledger's rows",
		Example: "  ranchctl gold set-from-ledger ann@example.com --reason LedgerDriftAlarm"},
		a.changingUser(func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
			rows, err := s.Ledger(ctx, user.ID)
			sum, damage := operate.SumOf(rows)
			p := plan{change: fmt.Sprintf("set the gold of %s from the ledger: %s -> %s", namedUser(user), grouped(user.GoldBalance), grouped(sum)),
				gold: max(sum-user.GoldBalance, user.GoldBalance-sum), word: user.Username, refused: cmp.Or(gone(user), damage)}
			p.do = func(ctx context.Context, o operate.Operator) error { return o.SetGoldFromLedger(ctx, user.ID) }
			p.show = func(ctx context.Context) error { return a.printUserOf(ctx, s, user.ID) }
			return p, err
		}))
}

func newGoldAdjust(a *app) *cobra.Command {
	c := &cobra.Command{Use: "adjust (EMAIL|USERNAME|ID AMOUNT | -f FILE) --reason TEXT",
		Short: "Give a user gold, or take it with a negative amount; the reason becomes the description of the ledger's row",
		Long: `Give a user gold, or take it with a negative amount; the reason becomes the description of the ledger's row.

The reason has 1 to 200 characters. If the user has got the same amount for the same reason in the last 7 days, it may be
the same payment, and needs --force=duplicates. With -f this holds for each line. Of two such commands at once, one pays.
To continue a file that was interrupted, repeat the command with the --change that it has printed.`,
		Example: "  ranchctl gold adjust Ann 50 --reason 'paid twice'\n  ranchctl gold adjust -f paid-twice.csv --reason 'paid twice' --dry-run"}
	return a.ofMany(c, users.columns, func(args []string) (planner, error) {
		reason := a.change.Reason
		amount, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return nil, usagef("amount %q: must be a whole number", args[1])
		}
		if err := game.CheckAdjustment(amount, reason); err != nil {
			return nil, mark(wrongUsage, err)
		}
		return a.ofUser(args[0], func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
			row, err := game.AdjustmentEntry(*user, amount, reason, a.present())
			p := plan{change: fmt.Sprintf("give %s %s gold: %s -> %s", namedUser(user), grouped(amount), grouped(user.GoldBalance), grouped(row.BalanceAfter)),
				gold: max(amount, -amount), word: user.Username, refused: cmp.Or(gone(user), err)}
			p.do = func(ctx context.Context, o operate.Operator) error {
				if len(p.doubts) > 0 { // the operator has seen the earlier payment
					return o.AdjustGold(ctx, user.ID, amount, reason)
				}
				return o.PayOnce(ctx, user.ID, amount, reason)
			}
			p.show = func(ctx context.Context) error { return ledgerRows.one(a)(s.LedgerRow(ctx, user.ID, a.change.ID)) }
			rows, err := s.Ledger(ctx, user.ID)
			if err != nil && len(requests(err)) == 0 && ctx.Err() == nil {
				p.doubts = []doubt{doubtf(unread, "the rows of %s cannot be read: %v", user.Username, err)}
				return p, nil
			}
			if r := operate.PaidBefore(rows, amount, reason, a.present()); r != nil && r.ID != a.change.ID {
				p.doubts = []doubt{doubtf(duplicates, "%s got %s gold for the same reason at %v", user.Username, grouped(amount), r.CreatedAt)}
			}
			return p, err
		})
	}, "user", "amount")
}

var negative = regexp.MustCompile(`^-\d+$`)

// amountLast moves a negative amount of "gold adjust" behind "--". Otherwise it would be parsed as a flag.
func amountLast(args []string) []string {
	command, amount := slices.Index(args, "adjust"), slices.IndexFunc(args, negative.MatchString)
	if command < 1 || args[command-1] != "gold" || amount < command || strings.HasPrefix(args[amount-1], "-") {
		return args
	}
	return slices.Concat(args[:amount], args[amount+1:], []string{"--", args[amount]})
}
