package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/infra/spreadsheet"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// mostProblems is how many problems of a file are printed.
const mostProblems = 50

// line is a line of a file.
type line = spreadsheet.Line

// ofLine adds the line's number to an error. If several errors are joined, it adds the number to each.
func ofLine(l line, err error) error {
	all := problemsOf(err)
	for i, problem := range all {
		all[i] = fmt.Errorf("line %d: %w", l.Number, problem)
	}
	return errors.Join(all...)
}

// problemsOf returns the errors that are joined in an error.
func problemsOf(err error) (all []error) {
	parts := joined(err)
	if parts == nil && err != nil {
		return []error{err}
	}
	for _, part := range parts {
		all = append(all, problemsOf(part)...)
	}
	return all
}

// fileProblems returns a refusal that lists the first mostProblems problems of the file, or nil if there are none.
func (a *app) fileProblems(problems ...error) error {
	all := problemsOf(errors.Join(problems...))
	if len(all) == 0 {
		return nil
	}
	var text strings.Builder
	for i, problem := range all {
		if i == mostProblems {
			fmt.Fprintf(&text, "\nand %d more", len(all)-i)
			break
		}
		fmt.Fprintf(&text, "\n%s: %v", a.file, problem)
	}
	return refusalf("%s", text.String()[1:])
}

// changeOf returns the command's change with the reason in the line, if there is one.
func changeOf(l line, whole operate.Change) operate.Change {
	whole.Reason = cmp.Or(l.Cells["reason"], whole.Reason)
	return whole
}

// planned is the plan for a line of a file.
type planned struct {
	line
	plan
	subject string // unique in the file; also names the line's change within the command's
	err     error  // why it failed
	done    bool
}

// ofMany makes c a command that changes the subject in its arguments, or with -f the subjects of a file that has a
// column for each argument, and may have a column reason. The subject's column may also be called id, as in the list of
// subjects, whose other columns are ignored.
func (a *app) ofMany(c *cobra.Command, listed string, parse func(args []string) (planner, error), columns ...string) *cobra.Command {
	c.Flags().StringVarP(&a.file, "file", "f", "", "make a change for each line of a CSV file with a header; columns: "+strings.Join(columns, " and ")+", and optionally reason")
	return a.changes(c, func(args []string) (planner, error) {
		if a.long = a.file != ""; a.long {
			also, ignored := map[string]string{"id": columns[0]}, strings.Fields(strings.ToLower(listed))
			return a.parseFile(spreadsheet.Columns{Needed: columns, Optional: []string{"reason"}, Also: also, Ignored: ignored}, parse)
		}
		return parse(args)
	})
}

// parseFile returns a planner for the changes of all lines of the file.
func (a *app) parseFile(columns spreadsheet.Columns, parse func(args []string) (planner, error)) (planner, error) {
	file, err := os.Open(a.file)
	if err != nil {
		return nil, mark(refusal, err)
	}
	defer file.Close()
	lines, err := columns.Read(file)
	problems := []error{err}
	readers, subjects, whole := make([]planner, len(lines)), map[string]int{}, a.change
	defer func() { a.change = whole }()
	for i, l := range lines {
		args := make([]string, len(columns.Needed))
		for n, column := range columns.Needed {
			args[n] = l.Cells[column]
		}
		a.change = changeOf(l, whole)
		readers[i], err = parse(args)
		problems = append(problems, ofLine(l, err), ofLine(l, checkReason(a.change.Reason)))
		if before, twice := subjects[args[0]]; twice {
			problems = append(problems, ofLine(l, fmt.Errorf("%s is in line %d, too", args[0], before)))
		}
		subjects[args[0]] = l.Number
	}
	if err := a.fileProblems(problems...); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s operate.Desk) (plan, error) {
		planned, err := a.planLines(ctx, s, lines, readers, columns.Needed[0])
		return a.planAll(s, planned), err
	}, nil
}

// planLines plans the changes of the lines, or returns all problems. In a repetition, changes may have been made.
func (a *app) planLines(ctx context.Context, s operate.Desk, lines []line, readers []planner, subject string) ([]planned, error) {
	whole := a.change
	defer func() { a.change = whole }()
	all := make([]planned, 0, len(lines))
	subjects := map[game.ID]int{}
	var problems []error
	read := a.progress("lines read")
	defer read.End()
	for i, l := range lines {
		madeBefore := false
		if a.repeated != "" {
			a.change = whole.Part(l.Cells[subject])
			record, err := s.AuditRecord(ctx, a.change.ID)
			if err != nil {
				return nil, err
			}
			madeBefore = record != nil
		}
		p, err := readers[i](ctx, s)
		if err == nil {
			err = p.refused
		}
		if ctx.Err() != nil || err != nil && len(requests(err)) > 0 {
			return nil, ofLine(l, err) // an error of the table, not of the line
		}
		if before, twice := subjects[p.about]; twice && p.about != "" {
			err = fmt.Errorf("%s is in line %d, too", l.Cells[subject], before)
		}
		subjects[p.about] = l.Number
		switch {
		case madeBefore: // if it can be repeated, it may not be complete, as refunds
			p = plan{change: "made before: " + l.Cells[subject], same: p.same || err != nil, do: p.do, long: p.long}
		case err != nil:
			if _, damaged := errors.AsType[store.DamagedShow](err); damaged {
				err = errors.New(a.explain(ctx, err)) // with the command that repairs the show
			}
			problems = append(problems, ofLine(l, err))
		}
		all = append(all, planned{line: l, plan: p, subject: l.Cells[subject]})
		read.At(i+1, len(lines))
	}
	return all, a.fileProblems(problems...)
}

// planAll returns one plan for the changes of many lines. It makes them one after the other. Each has an id computed
// from the command's, under which it happens once.
func (a *app) planAll(s operate.Desk, lines []planned) plan {
	p := plan{long: true}
	left := 0
	for _, l := range lines {
		p.parts = append(p.parts, fmt.Sprintf("line %d: %s", l.Number, l.change))
		for _, d := range l.doubts {
			p.doubts = append(p.doubts, doubtf(d.Kind, "line %d: %s", l.Number, d.Why))
		}
		p.gold += l.gold
		if !l.same {
			left++
		}
	}
	if left > mostChanges {
		p.doubts = append(p.doubts, doubtf(large, "%d changes are more than %d", left, mostChanges))
	}
	p.word, p.change = strconv.Itoa(left), fmt.Sprintf("%s: %s", a.file, counted(left, "change", "changes"))
	if p.gold > 0 {
		p.change += fmt.Sprintf(", %s gold", grouped(p.gold))
	}
	if p.same = left == 0; p.same {
		p.do = func(context.Context, operate.Operator) error { return nil }
		p.show = func(ctx context.Context) error { return a.printLines(ctx, lines) }
		return p
	}
	p.do = func(ctx context.Context, _ operate.Operator) error {
		a.say("if this is interrupted, continue with the same command and --change %s", a.change.ID)
		err := a.makeAll(ctx, s, lines)
		return errors.Join(a.printLines(ctx, lines), err)
	}
	return p
}

// makeAll makes the changes of the lines. After a failed change it continues with the next line, and returns an error
// in the end. It stops early if the context ends, a change times out, or the outcome of a change is unknown.
func (a *app) makeAll(ctx context.Context, s operate.Desk, lines []planned) error {
	progress := a.progress("changes made")
	progress.Every = max(1, len(lines)/10)
	defer progress.End()
	failed := 0
	var last error
	for i := range lines {
		l := &lines[i]
		if !l.same {
			l.err = l.make(ctx, s.Operator(changeOf(l.line, a.change).Part(l.subject)))
		}
		if l.done = l.err == nil; l.err != nil {
			failed, last = failed+1, fmt.Errorf("line %d: %w", l.Number, l.err)
			if ctx.Err() != nil || errors.Is(l.err, operate.ErrUnclear) || errors.Is(l.err, context.DeadlineExceeded) {
				return last
			}
		}
		progress.At(i+1, len(lines))
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d changes failed: %w", failed, len(lines), last)
	}
	return nil
}

// lineResult is the printed outcome of a line.
type lineResult struct {
	Line    int     `json:"line"`
	Subject string  `json:"subject"`
	Change  string  `json:"change"`
	Done    bool    `json:"done"`
	Error   *string `json:"error"`
}

var lineResults = listing[lineResult]{"LINE DONE CHANGE ERROR", func(r lineResult) []any {
	return []any{r.Line, r.Done, r.Change, orDash(r.Error)}
}}

func (a *app) printLines(ctx context.Context, lines []planned) error {
	results := make([]lineResult, len(lines))
	for i, l := range lines {
		results[i] = lineResult{l.Number, l.subject, l.change, l.done || l.same, nil}
		if l.err != nil {
			results[i].Error = new(a.explain(ctx, l.err))
		}
	}
	return lineResults.list(a)(results, nil)
}

func wholeNumber(cell string) (int64, error) {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: must be a whole number", cell)
	}
	return n, nil
}
