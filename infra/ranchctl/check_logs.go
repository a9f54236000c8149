package main

import (
	"cmp"
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
		Short: "Find violations of the rules in the functions' log",
		Long: `Find violations of the rules in the functions' log.

Files are exports of the log group, zipped or not: from CloudWatch to S3, from 'aws logs filter-log-events', or from
queries as JSON or CSV. '-' or no file is the standard input. With --with-table it also compares the log with the
ledgers, entries and receipts, and reads the whole table for that. It names what it cannot read, and compares the rest.
After Ctrl-C it prints what it has found so far. Exit code 1: it found a violation, or could not compare everything.`,
		Example: "  ranchctl check-logs log.json --with-table",
		RunE: a.action(func(ctx context.Context, files []string) error {
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
	f.BoolVar(&withTable, "with-table", false, "also compare the log with the table")
	f.DurationVar(&options.Skew, "skew", logcheck.DefaultSkew, "the most by which the functions' clocks may differ")
	f.DurationVar(&options.Late, "late", logcheck.DefaultLate, "the longest time of a call whose line may be missing at the end of the log")
	f.DurationVar(&options.Patience, "patience", logcheck.DefaultPatience, "how long to reread an account or a show that stays inconsistent")
	return c
}

// compare compares the log with the table. Its error names what it could not read.
func (a *app) compare(ctx context.Context, checker *logcheck.Checker) error {
	accounts, shows := a.progress("accounts compared"), a.progress("shows compared")
	endAccounts := sync.OnceFunc(accounts.end)
	defer shows.end()
	defer endAccounts()
	a.long = true
	err := a.onTable(ctx, func(ctx context.Context, s *store.Store) error {
		return checker.CheckTable(ctx, s, logcheck.Progress{
			Accounts: func(done int) { accounts.at(done, 0) },
			Shows: func(done, total int) {
				endAccounts()
				shows.at(done, total)
			},
		})
	})
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

// printReport prints what was read and found. If r has violations, it returns an error. CSV has only the violations.
func (a *app) printReport(r logcheck.Report) error {
	var wrong error
	if r.Found > 0 {
		wrong = fmt.Errorf("%d violations of the rules; %d are described", r.Found, len(r.Violations))
	}
	if a.format == "table" {
		if err := a.printRead(r); err != nil || r.Found == 0 {
			return err
		}
	}
	return cmp.Or(violations.print(a, r, r.Violations, nil), wrong)
}

var violations = table[logcheck.Violation]{"REQUESTS VIOLATION", func(v logcheck.Violation) []any {
	return []any{orAbsent(strings.Join(v.Requests, " ")), v.Text}
}}

// printRead prints what was read, in words.
func (a *app) printRead(r logcheck.Report) error {
	if r.Records == 0 {
		_, err := fmt.Fprintf(a.out, "None of %d lines is a call: a call is a line of JSON, as functions write it.\n", r.Others)
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d calls from %v to %v; %d lines occurred twice, %d others are no calls, %d processes ended without a call's line.\n",
		r.Records, r.From, r.To, r.Duplicates, r.Others, r.Lost)
	if r.Untimed > 0 {
		fmt.Fprintf(&text, "%d of these processes ended at an unknown time: rows without a call may be theirs.\n", r.Untimed)
	}
	fmt.Fprintf(&text, "By the log, calls paid %d gold and charged %d.\n", r.Paid, r.Charged)
	if r.Table != nil {
		fmt.Fprintf(&text, "By %d ledgers, known calls paid %d gold and charged %d; %d shows were compared.\n",
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

// until returns a reader of from. If the context ends, the reader fails, even while from is silent.
func until(ctx context.Context, from io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
	}()
	return r
}
