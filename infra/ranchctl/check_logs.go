package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/store"
)

func newCheckLogs(a *app) *cobra.Command {
	var withTable bool
	var options logcheck.Options
	c := &cobra.Command{Use: "check-logs [FILE...] [--with-table] [--skew 2s] [--late 30s] [--patience 1m]",
		Short: "Judge by the functions' log what the service did: what cannot have happened by the rules",
		Long: `Judge by the functions' log what the service did: what cannot have happened by the rules.

Files are exports of the log group, zipped or not: of CloudWatch to S3, of 'aws logs filter-log-events', of queries as
JSON or CSV; '-' is the standard input, as is no file. With --with-table they are compared with the ledgers, entries and
receipts as well: it reads the whole table. What cannot be read of it is named, and the rest is compared; who ends it
with Ctrl-C sees what was found until then. Exit code 1 says that something was found, or could not be compared.`,
		Example: "  ranchctl check-logs log.json --with-table",
		RunE: action(func(ctx context.Context, files []string) error {
			if options.Skew < 0 || options.Skew > time.Hour {
				return usagef("--skew must be from 0s to 1h")
			}
			if options.Late < 0 {
				return usagef("--late must be 0s or more")
			}
			if options.Patience <= 0 {
				return usagef("--patience must be more than 0s")
			}
			checker := logcheck.NewChecker(options)
			if len(files) == 0 {
				files = []string{"-"}
			}
			for _, file := range files {
				if err := a.readLog(ctx, checker, file); err != nil {
					return err
				}
			}
			var err error
			if withTable {
				err = a.compare(ctx, checker)
			}
			return errors.Join(a.printReport(checker.Check()), err) // print what has been found
		})}
	f := c.Flags()
	f.BoolVar(&withTable, "with-table", false, "compare with the table, too")
	f.DurationVar(&options.Skew, "skew", logcheck.DefaultSkew, "by how much the functions' clocks may differ")
	f.DurationVar(&options.Late, "late", logcheck.DefaultLate, "how long a call may take, whose line is then not in the log yet")
	f.DurationVar(&options.Patience, "patience", logcheck.DefaultPatience, "how long an account or a show is read that does not become whole")
	return c
}

// compare compares the log with the table, as far as the table can be read.
func (a *app) compare(ctx context.Context, checker *logcheck.Checker) error {
	accounts, shows := a.progress("accounts compared"), a.progress("shows compared")
	endAccounts := sync.OnceFunc(accounts.end)
	defer shows.end()
	defer endAccounts()
	err := a.patiently(func(ctx context.Context, s *store.Store, _ []string) error {
		return checker.CheckTable(ctx, s, logcheck.Progress{
			Accounts: func(done int) { accounts.at(done, 0) },
			Shows: func(done, total int) {
				endAccounts()
				shows.at(done, total)
			},
		})
	})(ctx, nil)
	if err != nil {
		return fmt.Errorf("the log was not compared with all of the table: %w", err)
	}
	return nil
}

func (a *app) readLog(ctx context.Context, checker *logcheck.Checker, file string) error {
	if file == "-" {
		return checker.Read(until(ctx, a.in))
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checker.Read(until(ctx, f)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// until returns a reader of from that fails when the context ends, even while from is silent.
func until(ctx context.Context, from io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
	}()
	return r
}

// printReport prints what was read and found. It returns an error if it found violations. CSV has only the violations.
func (a *app) printReport(r logcheck.Report) error {
	switch a.format {
	case "json":
		if err := a.printJSON(r); err != nil {
			return err
		}
	case "table":
		if err := a.printRead(r); err != nil || r.Found == 0 {
			return err
		}
		fallthrough
	default:
		if err := violations.list(a)(r.Violations, nil); err != nil {
			return err
		}
	}
	if r.Found > 0 {
		return fmt.Errorf("%d violations of the rules, of which %d are described", r.Found, len(r.Violations))
	}
	return nil
}

var violations = table[logcheck.Violation]{"REQUESTS VIOLATION", func(v logcheck.Violation) []any {
	return []any{orAbsent(strings.Join(v.Requests, " ")), v.Text}
}}

// printRead prints what was read, in words.
func (a *app) printRead(r logcheck.Report) error {
	if r.Records == 0 {
		_, err := fmt.Fprintf(a.out, "No call was read, in %d other lines: a call is a line of JSON, as functions write it.\n", r.Others)
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d calls from %v to %v; %d lines were there twice, %d are no call's, %d processes ended without one.\n",
		r.Records, r.From, r.To, r.Duplicates, r.Others, r.Lost)
	if r.Untimed > 0 {
		fmt.Fprintf(&text, "Of %d of those processes nobody knows when: what seems to be of no call may be of theirs.\n", r.Untimed)
	}
	fmt.Fprintf(&text, "By the calls, %d gold was paid and %d charged.\n", r.Paid, r.Charged)
	if r.Table != nil {
		fmt.Fprintf(&text, "By %d ledgers, %d gold was paid and %d charged by calls that are known; %d shows were compared.\n",
			r.Table.Accounts, r.Table.Paid, r.Table.Charged, r.Table.Shows)
	}
	if _, err := io.WriteString(a.out, text.String()); err != nil {
		return err
	}
	kinds := slices.Sorted(maps.Keys(r.Calls))
	rows := make([][]any, len(kinds))
	for i, kind := range kinds {
		count := r.Calls[kind]
		rows[i] = []any{kind, count.Done, count.Refused, count.Unknown}
	}
	return a.printTable([]string{"FUNCTION", "DONE", "REFUSED", "UNKNOWN"}, rows)
}
