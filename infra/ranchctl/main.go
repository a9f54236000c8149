// Ranchctl is the operators' tool. It reads and changes seasons, shows, users, animals and the ledger directly in the
// table, and the signing keys in their secret. It uses the same store and rules as the functions.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage or a refusal to change something without another flag, 3 unknown whether
// a change was made. Errors go to stderr. Before exit code 2 it has written nothing to the table.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/shared/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := newApp(os.Stdout, os.Stderr, time.Now)
	a.program = quote(os.Args[0])
	if strings.Contains(os.Args[0], "/go-build") { // go run deletes the program
		a.program = "go run ./infra/ranchctl"
	}
	os.Exit(a.run(ctx, os.Args[1:]))
}

func (a *app) run(ctx context.Context, args []string) (exit int) {
	root := newRoot(a)
	root.SetArgs(amountLast(args))
	root.SetOut(a.out)
	root.SetErr(a.warnings)
	// An operator waits as long as the table answers, even if it throttles or the line is slow.
	command, err := root.ExecuteContextC(table.Patiently(ctx))
	a.command = command
	return a.conclude(ctx, args, err)
}

func newRoot(a *app) *cobra.Command {
	build, _ := debug.ReadBuildInfo()
	root := &cobra.Command{
		Use:   "ranchctl",
		Short: "Operate a Ranch: seasons, shows, users, animals, the ledger and the signing keys",
		Long: `Operate a Ranch: seasons, shows, users, animals, the ledger and the signing keys.

--endpoint selects a local table, and --table (or TABLE_NAME) a table of the AWS environment. Without either, ranchctl
uses the table of the 'make run' in this working tree. The same holds for the secret of the signing keys and --secret
(or SIGNING_KEYS_SECRET).

Times are RFC 3339 (2026-11-20T09:30:00Z), today, yesterday, or relative to now (+2h, -30m, +1h500ms, +30d).

Every change of the table leaves a record in it: who, when, what and, with --reason, why. 'ranchctl audit' lists them.
Before a change that is not on this machine, ranchctl shows it and asks. --yes skips the question. --dry-run changes
nothing. If a change cannot be undone, is large or may be a mistake, it needs --force with the names of these doubts,
or the count or name typed at the terminal. In prod, also type prod.

Tables and -o csv show unprintable characters as escapes, such as \x1b. The texts of -o json decode to exactly what is
stored.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unknown whether a change was made. After 3, the message shows a command
that repeats the change safely.`,
		SilenceUsage: true, SilenceErrors: true, Version: versionOf(cmp.Or(build, &debug.BuildInfo{})),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q%s", args[0], meant(args[0], namesOf(c)...))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := oneOf("-o", a.format, formats...); err != nil {
				return err
			}
			for _, kind := range a.force {
				if err := oneOf("--force", kind, doubtKinds...); kind != noDoubt && err != nil {
					return err
				}
			}
			a.command = c
			if a.recorded() {
				return a.readChange()
			}
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.table, "table", os.Getenv("TABLE_NAME"), "the table's name")
	flags.StringVar(&a.endpoint, "endpoint", "", "a local DynamoDB or LocalStack, such as http://127.0.0.1:8000")
	flags.StringVarP(&a.format, "output", "o", "table", "output format: "+strings.Join(formats, ", "))
	flags.BoolVar(&a.yes, "yes", false, "skip the question before a change that is not on this machine")
	complete(root, "output", formats)
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(newSeason(a), newShow(a), newUser(a), newGold(a), newAnimal(a), newLedger(a), newKeys(a), newTable(a), newPending(a), newAudit(a))
	walk(root, func(c *cobra.Command) {
		if !c.HasSubCommands() || c.Name() == "audit" {
			c.Args = checkArguments
			a.completeArguments(c)
		}
	})
	return root
}

// walk calls visit with the command and all of its sub-commands.
func walk(c *cobra.Command, visit func(c *cobra.Command)) {
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
	visit(c)
}

// checkArguments returns an error that names the missing or unexpected arguments. A command's Use names its arguments:
// ID is needed, [USER] is optional, [FILE...] allows any number. With --file, a command accepts none.
func checkArguments(c *cobra.Command, args []string) error {
	name := strings.TrimPrefix(c.CommandPath(), "ranchctl ")
	if c.Flags().Changed("file") {
		if len(args) > 0 {
			return fmt.Errorf("%s: give either %s or --file, not both", name, strings.Join(args, " "))
		}
		return nil
	}
	var needed []string
	most := 0
	for _, word := range strings.Fields(c.Use)[1:] {
		argument := strings.Trim(word, "()[]")
		if argument == "|" || strings.HasPrefix(argument, "-") {
			break
		} else if strings.HasSuffix(argument, "...") {
			return nil
		} else if most++; !strings.HasPrefix(word, "[") {
			needed = append(needed, argument)
		}
	}
	switch {
	case len(args) > most:
		return fmt.Errorf("%s does not take the argument %q", name, args[most])
	case len(args) < len(needed):
		return fmt.Errorf("%s needs %s", name, strings.Join(needed[len(args):], " and "))
	}
	return nil
}

// group returns a command that only has sub-commands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs a sub-command: %s", use, strings.Join(namesOf(c), ", "))
			}
			return usagef("%s has no sub-command %q%s", use, args[0], meant(args[0], namesOf(c)...))
		},
	}
	c.AddCommand(subcommands...)
	return c
}

// meant returns a question that suggests the names similar to the typed one. If there are none, it returns "".
func meant(typed string, names ...string) string {
	whole := strings.NewReplacer(" ", "_")
	like := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		like.AddCommand(&cobra.Command{Use: whole.Replace(name), Run: func(*cobra.Command, []string) {}})
	}
	if found := like.SuggestionsFor(whole.Replace(typed)); len(found) > 0 {
		return ": did you mean " + strings.ReplaceAll(strings.Join(found, " or "), "_", " ") + "?"
	}
	return ""
}

func namesOf(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

// oneOf returns a usage error if the value is none of the allowed ones, ignoring case.
func oneOf(flag, value string, allowed ...string) error {
	if slices.ContainsFunc(allowed, func(known string) bool { return strings.EqualFold(known, value) }) {
		return nil
	}
	return usagef("%s %q: must be one of %s%s", flag, value, strings.Join(allowed, ", "), meant(value, allowed...))
}

// wrongFlag adds similar flags to an error about an unknown flag. It returns any other error as it is.
func wrongFlag(c *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return unknownf("%w%s", err, meant("--"+missing.GetSpecifiedName(), names...))
}

// action returns the RunE of a command that calls do. An error that comes before do is wrong usage.
func (a *app) action(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		a.acting = true
		return do(c.Context(), args)
	}
}
