package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// longestReason bounds what --reason adds to a record, in bytes.
const longestReason = 500

// recorded is the annotation of commands whose changes leave a record in the table.
const recorded = "recorded"

// previewed marks a command that changes something: it takes --dry-run and --force.
func previewed(a *app, c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.dryRun, "dry-run", false, "print the change and its size, and change nothing")
	c.Flags().BoolVar(&a.force, "force", false, "also what is for good, large, about a season that is over, or hardly meant")
	return c
}

// changes marks a command, whose own flags are there, as one that changes the table: it takes --reason and --change,
// too, and no other command can make changes. If it creates something, that has the id newID.
func changes(a *app, c *cobra.Command) *cobra.Command {
	if c.Flags().Lookup("reason") == nil { // else the command says more about it
		c.Flags().String("reason", "", "why, for the record that ranchctl audit shows")
	}
	c.Flags().StringVar(&a.repeated, "change", "", "the id of a change of which it is not known whether it was made: it is made once")
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[recorded] = "yes"
	return previewed(a, c)
}

// readChange reads the flags of a command that changes the table.
func (a *app) readChange() error {
	reason := a.command.Flags().Lookup("reason").Value.String()
	if len(reason) > longestReason {
		return usagef("--reason must have at most %d bytes", longestReason)
	}
	if a.repeated == "" {
		a.change.Reason = reason
		return nil
	}
	change, ok := store.ParseChange(a.repeated)
	if !ok {
		return usagef("--change: %q is no change's id", a.repeated)
	}
	if age := a.clock().Sub(change.At.Time()); age < 0 || age > store.Repeatable {
		return usagef("--change: %s began at %v, and a change can be repeated for 7 days: look for it with ranchctl audit", a.repeated, change.At)
	}
	change.Reason, a.change = reason, change
	return nil
}

// begun is the change, which begins when this is first asked for: where something of it is relative to now or has an id
// made of its own, before the question at the terminal, and else after it. A change that is repeated goes by the time
// at which it was first begun, so that what is relative to now is what it was.
func (a *app) begun() store.Change {
	if a.change.ID == "" {
		a.change = store.NewChange("", a.change.Reason, game.InstantOf(a.clock()))
	}
	return a.change
}

// newID is the id of what a command creates: the same one whenever its change is repeated.
func (a *app) newID() game.ID {
	return game.ID(uuid.NewSHA1(uuid.MustParse(string(a.begun().ID)), []byte("created")).String())
}

// planner reads what a change is about, and plans it.
type planner func(ctx context.Context, s *store.Store) (plan, error)

// changing is a command that makes one change, recorded under the caller. parse refuses bad arguments, before anything
// is read.
func (a *app) changing(parse func(args []string) (planner, error)) func(*cobra.Command, []string) error {
	return action(func(ctx context.Context, args []string) error {
		read, err := parse(args)
		if err != nil {
			return err
		}
		return a.session(a.banner, noPatience, func(ctx context.Context, s *store.Store, _ []string) error {
			reading := ctx
			if !a.longPlan {
				var cancel context.CancelFunc
				reading, cancel = context.WithTimeout(ctx, callPatience)
				defer cancel()
			}
			p, err := read(reading, s)
			if err != nil {
				return err
			}
			return a.carryOut(ctx, a.theTable(), p, func(ctx context.Context) error {
				o, err := a.operator(ctx, s)
				if err != nil {
					return err
				}
				return p.make(ctx, o)
			})
		})(ctx, args)
	})
}

// userPlanner plans a change of a user.
type userPlanner func(ctx context.Context, s *store.Store, user *game.Account) (plan, error)

// ofUser returns the plan for the user of the name. If the change is repeated, that is the user whom the name led to at
// first.
func (a *app) ofUser(name string, read userPlanner) (planner, error) {
	if err := checkUserName(name); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *store.Store) (plan, error) {
		user, err := a.changedUser(ctx, s, name)
		if err != nil {
			return plan{}, err
		}
		p, err := read(ctx, s, user)
		p.about = user.ID
		return p, err
	}, nil
}

// changedUser is findUser for a change that may be repeated. If it was the user's deletion, or set their names, or
// they have been deleted or renamed since, the name leads to nobody, or to somebody who has come after: then it
// returns the user of the change's record.
func (a *app) changedUser(ctx context.Context, s *store.Store, name string) (*game.Account, error) {
	named, err := findUser(ctx, s, name)
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

// operator returns the caller, about to make the command's change now.
func (a *app) operator(ctx context.Context, s *store.Store) (store.Operator, error) {
	if a.command.Annotations[recorded] == "" {
		return store.Operator{}, fmt.Errorf("%s is not marked as a command that changes the table", a.command.CommandPath())
	}
	who, err := a.whoAsks(ctx)
	if err != nil {
		return store.Operator{}, err
	}
	a.begun()
	a.change.By = who.name
	return s.Operator(a.change), nil
}

// made is the error of what came after a change that was made.
type made struct{ error }

func (m made) Unwrap() error { return m.error }

// afterwards is what a command returns where its change was made and what came after it failed, such as reading the
// result: a warning, since the change is what was asked for.
func afterwards(err error) error {
	if err == nil {
		return nil
	}
	return made{err}
}
