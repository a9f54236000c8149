// Ranchctl is the operators' tool: seasons, shows, users, animals and the ledger, straight on the table, and the
// signing keys in their secret. It uses the functions' own store and rules.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 it is not known whether a change was made. Errors go to stderr;
// nothing is written after bad input.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, time.Now))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer, clock func() time.Time) (exit int) {
	return newApp(stdout, stderr, clock).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) (exit int) {
	root := newRoot(a)
	root.SetArgs(amountLast(args))
	root.SetOut(a.out)
	root.SetErr(a.warnings)
	// An operator waits as long as the table answers, be it over a slow line.
	return a.conclude(ctx, args, root.ExecuteContext(store.Patiently(ctx)))
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "ranchctl",
		Short: "Operate a Ranch: seasons, shows, users, animals, the ledger and the signing keys",
		Long: `Operate a Ranch: seasons, shows, users, animals, the ledger and the signing keys.

The table is the one of --endpoint, or of the AWS environment with --table (or TABLE_NAME);
with neither, that of the 'make run' which runs in this working tree. So it is with the secret
of the signing keys and --secret (or SIGNING_KEYS_SECRET).

Times are RFC 3339 (2026-11-20T09:30:00Z) or relative to now (+2h, -30m, +1h500ms, +30d).

Every change of the table leaves a record in it: who, when, what and, with --reason, why. 'ranchctl audit' lists them.
What is not on this machine is changed after a question at the terminal, or with --yes.

Tables and -o csv show what does not print as an escape, such as \x1b; the texts of -o json decode to exactly
what is stored.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 it is not known whether a change was made; the message then says how to
repeat it, which is safe.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(formats, a.format) {
				return fmt.Errorf("-o %s is none of %s", a.format, strings.Join(formats, ", "))
			}
			a.command = c
			if c.Annotations[recorded] != "" {
				return a.readChange()
			}
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.table, "table", os.Getenv("TABLE_NAME"), "the table's name")
	flags.StringVar(&a.endpoint, "endpoint", "", "a local DynamoDB or LocalStack, such as http://127.0.0.1:8000")
	flags.StringVarP(&a.format, "output", "o", "table", "output format: "+strings.Join(formats, ", "))
	flags.BoolVar(&a.yes, "yes", false, "change what is not on this machine without being asked")
	if err := root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag that was not defined
	}
	root.AddCommand(newSeason(a), newShow(a), newUser(a), newGold(a), newAnimal(a), newLedger(a), newKeys(a), newTable(a), newPending(a), newAudit(a), newCheckLogs(a), newVersion(a))
	return root
}

// group is a command that only has sub-commands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s needs a sub-command", use)
			}
			return fmt.Errorf("%s has no sub-command %q", use, args[0])
		},
	}
	c.AddCommand(subcommands...)
	return c
}

// action wraps what a command does, so that its errors are told from wrong usage. A usage error made inside stays one.
func action(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd.Context(), args)
		if err == nil || errors.As(err, new(usage)) {
			return err
		}
		return failure{err}
	}
}
