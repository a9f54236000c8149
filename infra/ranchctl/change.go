package main

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// longestReason is the most bytes of --reason.
const longestReason = 500

// recorded reports whether the command leaves a record of its change in the table.
func (a *app) recorded() bool { return a.command != nil && a.command.Flags().Lookup("change") != nil }

// previewed adds the flags --dry-run and --force to a command that makes a change.
func previewed(a *app, c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.dryRun, "dry-run", false, "print the change and its size, and change nothing")
	c.Flags().StringSliceVar(&a.force, "force", nil, "also make a change with these doubts, which --dry-run names: "+strings.Join(doubtKinds, ", "))
	c.Flags().Lookup("force").NoOptDefVal = noDoubt
	complete(c, "force", doubtKinds)
	return c
}

// changes makes c a command that makes a change of the table, with a record under the caller's name. parse refuses bad
// arguments before ranchctl reads the table. Call changes after adding the command's own flags. If a command creates
// something, its id is newID.
func (a *app) changes(c *cobra.Command, parse func(args []string) (planner, error)) *cobra.Command {
	c.Flags().String("reason", "", "why, for the record that ranchctl audit shows")
	c.Flags().StringVar(&a.repeated, "change", "", "repeat the change with this id, whose outcome is unknown: it happens once")
	c.RunE = a.parsing(func(args []string) (reader, error) {
		read, err := parse(args)
		return func(ctx context.Context, s operate.Desk) error { return a.makeChange(ctx, s, read) }, err
	})
	return previewed(a, c)
}

// makeChange plans a change, and carries out the plan. If the command is not long, the plan's reads have callPatience.
func (a *app) makeChange(ctx context.Context, s operate.Desk, read planner) error {
	reading := ctx
	if !a.long {
		var cancel context.CancelFunc
		reading, cancel = context.WithTimeout(ctx, callPatience)
		defer cancel()
	}
	p, err := read(reading, s)
	if err != nil {
		return err
	}
	return a.carryOut(ctx, a.theTable(), p, func(ctx context.Context) error {
		who, err := a.whoAsks(ctx)
		if err != nil {
			return err
		}
		a.begun()
		a.change.By = who.name
		return p.make(ctx, s.Operator(a.change))
	})
}

// readChange reads the flags --reason and --change.
func (a *app) readChange() error {
	a.change.Reason = a.command.Flags().Lookup("reason").Value.String()
	if err := checkReason(a.change.Reason); err != nil || a.repeated == "" {
		return err
	}
	change, ok := operate.ParseChange(a.repeated)
	if !ok {
		return usagef("--change %q: must be the id of a change", a.repeated)
	}
	if age := a.clock().Sub(change.At.Time()); age < 0 || age > operate.Repeatable {
		return usagef("--change %s: began at %v, and a change can be repeated for only 7 days: look it up with: %s", a.repeated, change.At, a.toType("audit"))
	}
	change.Reason = a.change.Reason
	a.change = change
	return nil
}

func checkReason(reason string) error {
	if len(reason) > longestReason {
		return usagef("--reason must have at most %d bytes", longestReason)
	}
	return nil
}

// begun returns the change, and begins it at the first call. If the change has a time relative to now or creates an id,
// that is before the question at the terminal. Otherwise it is after the answer. A repeated change keeps its first
// instant, so that relative times stay the same.
func (a *app) begun() operate.Change {
	if a.change.ID == "" {
		a.change = operate.NewChange("", a.change.Reason, game.InstantOf(a.clock()))
	}
	return a.change
}

// newID returns the id for the record that a command creates. A repetition of the change computes the same id.
func (a *app) newID() game.ID {
	return game.ID(uuid.NewSHA1(uuid.MustParse(string(a.begun().ID)), []byte("created")).String())
}

// planner reads the current state and plans a change.
type planner func(ctx context.Context, s operate.Desk) (plan, error)

// userPlanner plans a change of a user.
type userPlanner func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error)

// changingUser returns a function that plans a change of the user in its only argument.
func (a *app) changingUser(read userPlanner) func(args []string) (planner, error) {
	return func(args []string) (planner, error) { return a.ofUser(args[0], read) }
}

// ofUser returns a planner for the user with this name. For a repeated change, that is the user of the first attempt.
func (a *app) ofUser(name string, read userPlanner) (planner, error) {
	if err := checkUserName(name); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s operate.Desk) (plan, error) {
		user, err := a.changedUser(ctx, s, name)
		if err != nil {
			return plan{}, err
		}
		p, err := read(ctx, s, user)
		p.about = user.ID
		return p, err
	}, nil
}

// changedUser is findUser for a change that may be repeated. The change or a later one may have deleted or renamed the
// user. The name then belongs to no user or to a newer one, and changedUser returns the user of the change's record.
func (a *app) changedUser(ctx context.Context, s operate.Desk, name string) (*game.Account, error) {
	named, err := a.findUser(ctx, s, name)
	if _, isID := game.ParseID(name); a.repeated == "" || isID || err != nil && !errors.Is(err, store.ErrUnknownUser) {
		return named, err
	}
	if named != nil && named.CreatedAt < a.change.At {
		return named, nil
	}
	record, recordErr := s.AuditRecord(ctx, a.change.ID)
	if recordErr != nil || record == nil {
		return named, errors.Join(err, recordErr)
	}
	if changed, ok := record.User(); ok {
		user, changedErr := s.Account(ctx, changed)
		if changedErr != nil || user != nil {
			return user, changedErr
		}
	}
	return named, err
}
