package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/operate"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2 // wrong usage or a refusal; nothing was written
	exitUnclear = 3 // a change may have been made, or may still be
)

// kind is the way in which an error ends a command.
type kind int

const (
	wrongUsage kind = iota + 1 // a wrong or missing value
	unknown                    // a flag or command that does not exist: conclude prints the usage, too
	refusal                    // a change that needs another flag, or a file with problems
	made                       // the change was made, and only its result could not be read: a warning
)

// marked is an error with a kind. The outermost mark counts. An error of an action without a mark is a failure.
type marked struct {
	error
	kind
}

func (m marked) Unwrap() error { return m.error }

// mark returns the error with a kind. If err is nil, it returns nil.
func mark(as kind, err error) error {
	if err == nil {
		return nil
	}
	return marked{err, as}
}

func refusalf(format string, args ...any) error { return mark(refusal, fmt.Errorf(format, args...)) }

func unknownf(format string, args ...any) error { return mark(unknown, fmt.Errorf(format, args...)) }

func usagef(format string, args ...any) error { return mark(wrongUsage, fmt.Errorf(format, args...)) }

// conclude prints the error of a command, if there is one, and returns the exit code.
func (a *app) conclude(ctx context.Context, args []string, err error) int {
	found, _ := errors.AsType[marked](err)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, operate.ErrUnclear):
		a.warn("%s", a.explain(ctx, err))
		a.sayRepetition(args)
		return exitUnclear
	case found.kind == made:
		a.warn("the change was made, but then: %s", a.explain(ctx, err))
		return exitDone
	case found.kind == unknown:
		a.say("%v", err)
		fmt.Fprintf(a.warnings, "%s", a.command.UsageString())
		return exitUsage
	case a.acting && found.kind == 0:
		a.say("%s", a.explain(ctx, err))
		if a.file != "" && a.change.ID != "" {
			a.sayRepetition(args)
		}
		return exitFailed
	default:
		a.say("%v", err)
		return exitUsage
	}
}

func (a *app) sayRepetition(args []string) {
	a.say("repeat it with this command, which is safe, since it makes no change twice:\n  %s", a.repetition(args))
}

// repetition returns the command line that repeats the same change.
func (a *app) repetition(args []string) string {
	if a.repeated == "" {
		flags := len(args)
		if end := slices.Index(args, "--"); end >= 0 {
			flags = end
		}
		args = slices.Insert(slices.Clone(args), flags, "--change", string(a.change.ID))
	}
	return a.commandLine(args)
}

// toType returns a command line for the operator to type. It works on the table of the running command, because it has
// the same flags --endpoint and --table.
func (a *app) toType(words ...string) string {
	var flags []string
	a.command.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "endpoint" || f.Name == "table" {
			flags = append(flags, "--"+f.Name, f.Value.String())
		}
	})
	return a.commandLine(append(flags, words...))
}

// commandLine returns a call of ranchctl by the name that the operator has used, with the words quoted for a shell.
func (a *app) commandLine(words []string) string {
	line := a.program
	for _, word := range words {
		line += " " + quote(word)
	}
	return line
}

// quote returns a word for a shell, in quotes if it needs them.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@+,%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// warn writes a warning to stderr. It is one line, whatever its arguments contain.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.warnings, "ranchctl: warning: %s\n", terminal.Visible(fmt.Sprintf(format, args...)))
}

// say writes a message to stderr, which may have several lines.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.warnings, "ranchctl: %s\n", terminal.VisibleMessage(fmt.Sprintf(format, args...)))
}
