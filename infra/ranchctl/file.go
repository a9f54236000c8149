package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	// mostLines is the most lines of a file, far above any real need.
	mostLines = 10_000
	// mostProblems is how many problems of a file are printed.
	mostProblems = 50
)

// fileOf describes the columns of a CSV file. The first line names them in any order. Each other line has one subject.
type fileOf struct {
	needed, optional []string
	also             map[string]string // columns by other names, which 'list -o csv' prints
	ignored          []string          // further columns, which 'list -o csv' prints
}

// line is a line of a file.
type line struct {
	number int
	cells  map[string]string // by column, without empty cells of optional columns
}

// read returns the lines of a file, or all of its problems. A line that is not CSV hides the problems of later lines.
func (f fileOf) read(file io.Reader) (lines []line, err error) {
	r, err := newCSVReader(file)
	if err != nil {
		return nil, err
	}
	columns, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line, which names the columns: %w", err)
	}
	if err := f.checkColumns(columns); err != nil {
		return nil, err
	}
	var problems []error
	for len(lines) <= mostLines {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return lines, errors.Join(problems...)
		}
		if err != nil {
			problems = append(problems, err) // it has the line's number
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			return nil, errors.Join(problems...) // the beginning of the next line is unknown
		}
		number, _ := r.FieldPos(0)
		if !utf8.ValidString(strings.Join(cells, "")) {
			problems = append(problems, fmt.Errorf("line %d is not in UTF-8: %s", number, saveAs))
			continue
		}
		l := line{number, map[string]string{}}
		for i, column := range columns {
			if cell := fromCSV(cells[i]); cell != "" || slices.Contains(f.needed, column) {
				l.cells[column] = cell
			}
		}
		lines = append(lines, l)
	}
	return nil, fmt.Errorf("the file has more than %d lines", mostLines)
}

// saveAs says how to get a file that read accepts.
const saveAs = `save the file as "CSV UTF-8", with commas`

// newCSVReader returns a reader of the file after its byte order mark. It returns an error if the file is in UTF-16, or
// if semicolons or tabs separate the columns.
func newCSVReader(file io.Reader) (*csv.Reader, error) {
	buffered := bufio.NewReader(file)
	head, _ := buffered.Peek(buffered.Size()) // csv.Reader returns the error
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, errors.New("the file is in UTF-16: " + saveAs)
	}
	if i := bytes.IndexAny(first, ";\t"); i >= 0 && !bytes.Contains(first, []byte(",")) {
		return nil, fmt.Errorf("%q separates the columns: %s", first[i], saveAs)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = buffered.Discard(len("\ufeff"))
	}
	r := csv.NewReader(buffered)
	r.TrimLeadingSpace = true
	return r, nil
}

// checkColumns replaces columns' other names. It returns an error for unknown, duplicate and missing columns.
func (f fileOf) checkColumns(columns []string) error {
	known := slices.Concat(f.needed, f.optional)
	var problems []error
	for i, column := range columns {
		if own, is := f.also[column]; is && !slices.Contains(columns, own) {
			columns[i] = own
		}
		switch column = columns[i]; {
		case !slices.Contains(known, column) && !slices.Contains(f.ignored, column):
			problems = append(problems, fmt.Errorf("the column %q is unknown: must be one of %s%s", column, strings.Join(known, ", "), meant(column, known...)))
		case slices.Contains(columns[:i], column):
			problems = append(problems, fmt.Errorf("the column %q occurs twice", column))
		}
	}
	for _, column := range f.needed {
		if !slices.Contains(columns, column) {
			problems = append(problems, fmt.Errorf("the column %q is missing; the file has %q", column, columns))
		}
	}
	return errors.Join(problems...)
}

// of adds the line's number to an error. If several errors are joined, it adds the number to each.
func (l line) of(err error) error {
	all := problemsOf(err)
	for i, problem := range all {
		all[i] = fmt.Errorf("line %d: %w", l.number, problem)
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
func (l line) changeOf(whole operate.Change) operate.Change {
	whole.Reason = cmp.Or(l.cells["reason"], whole.Reason)
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
			return a.parseFile(fileOf{needed: columns, optional: []string{"reason"}, also: also, ignored: ignored}, parse)
		}
		return parse(args)
	})
}

// parseFile returns a planner for the changes of all lines of the file.
func (a *app) parseFile(columns fileOf, parse func(args []string) (planner, error)) (planner, error) {
	file, err := os.Open(a.file)
	if err != nil {
		return nil, mark(refusal, err)
	}
	defer file.Close()
	lines, err := columns.read(file)
	problems := []error{err}
	readers, subjects, whole := make([]planner, len(lines)), map[string]int{}, a.change
	defer func() { a.change = whole }()
	for i, l := range lines {
		args := make([]string, len(columns.needed))
		for n, column := range columns.needed {
			args[n] = l.cells[column]
		}
		a.change = l.changeOf(whole)
		readers[i], err = parse(args)
		problems = append(problems, l.of(err), l.of(checkReason(a.change.Reason)))
		if before, twice := subjects[args[0]]; twice {
			problems = append(problems, l.of(fmt.Errorf("%s is in line %d, too", args[0], before)))
		}
		subjects[args[0]] = l.number
	}
	if err := a.fileProblems(problems...); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s operate.Desk) (plan, error) {
		planned, err := a.planLines(ctx, s, lines, readers, columns.needed[0])
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
	defer read.end()
	for i, l := range lines {
		madeBefore := false
		if a.repeated != "" {
			a.change = whole.Part(l.cells[subject])
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
			return nil, l.of(err) // an error of the table, not of the line
		}
		if before, twice := subjects[p.about]; twice && p.about != "" {
			err = fmt.Errorf("%s is in line %d, too", l.cells[subject], before)
		}
		subjects[p.about] = l.number
		switch {
		case madeBefore: // if it can be repeated, it may not be complete, as refunds
			p = plan{change: "made before: " + l.cells[subject], same: p.same || err != nil, do: p.do, long: p.long}
		case err != nil:
			if _, damaged := errors.AsType[store.DamagedShow](err); damaged {
				err = errors.New(a.explain(ctx, err)) // with the command that repairs the show
			}
			problems = append(problems, l.of(err))
		}
		all = append(all, planned{line: l, plan: p, subject: l.cells[subject]})
		read.at(i+1, len(lines))
	}
	return all, a.fileProblems(problems...)
}

// planAll returns one plan for the changes of many lines. It makes them one after the other. Each has an id computed
// from the command's, under which it happens once.
func (a *app) planAll(s operate.Desk, lines []planned) plan {
	p := plan{long: true}
	left := 0
	for _, l := range lines {
		p.parts = append(p.parts, fmt.Sprintf("line %d: %s", l.number, l.change))
		for _, d := range l.doubts {
			p.doubts = append(p.doubts, doubtf(d.Kind, "line %d: %s", l.number, d.Why))
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
	progress.every = max(1, len(lines)/10)
	defer progress.end()
	failed := 0
	var last error
	for i := range lines {
		l := &lines[i]
		if !l.same {
			l.err = l.make(ctx, s.Operator(l.changeOf(a.change).Part(l.subject)))
		}
		if l.done = l.err == nil; l.err != nil {
			failed, last = failed+1, fmt.Errorf("line %d: %w", l.number, l.err)
			if ctx.Err() != nil || errors.Is(l.err, operate.ErrUnclear) || errors.Is(l.err, context.DeadlineExceeded) {
				return last
			}
		}
		progress.at(i+1, len(lines))
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
		results[i] = lineResult{l.number, l.subject, l.change, l.done || l.same, nil}
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
