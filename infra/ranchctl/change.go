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

// changes marks a command, whose own flags are there, as one that changes the table: it takes --reason and --change,
// and no other command can make changes. Where it creates something, that has the id newID.
func changes(a *app, c *cobra.Command) *cobra.Command {
	if c.Flags().Lookup("reason") == nil { // else the command says more about it
		c.Flags().String("reason", "", "why, for the record that ranchctl audit shows")
	}
	c.Flags().StringVar(&a.repeated, "change", "", "the id of a change of which it is not known whether it was made: it is made once")
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[recorded] = "yes"
	return c
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

// changing runs an action that makes one change, which is recorded under whoever runs the command.
func (a *app) changing(do func(ctx context.Context, s *store.Store, o store.Operator, args []string) error) func(context.Context, []string) error {
	return a.session(a.confirm, callPatience, func(ctx context.Context, s *store.Store, args []string) error {
		o, err := a.operator(ctx, s)
		if err != nil {
			return err
		}
		return do(ctx, s, o, args)
	})
}

// changingUser is changing, for the user that the first argument names. Where the change is repeated, that is the user
// whom the name led to at first.
func (a *app) changingUser(do func(ctx context.Context, s *store.Store, o store.Operator, user *game.Account) error) func(context.Context, []string) error {
	change := a.changing(func(ctx context.Context, s *store.Store, o store.Operator, args []string) error {
		user, err := a.changedUser(ctx, s, args[0])
		if err != nil {
			return err
		}
		return do(ctx, s, o, user)
	})
	return func(ctx context.Context, args []string) error {
		if err := checkUserName(args[0]); err != nil {
			return err
		}
		return change(ctx, args)
	}
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

// operator returns whoever runs the command, about to make a change now. Of several changes that a command makes, each
// has an id of its own, and the first one that of --change: such a command has to know by itself what it has done.
// Several goroutines may call it.
func (a *app) operator(ctx context.Context, s *store.Store) (store.Operator, error) {
	a.operators.Lock()
	defer a.operators.Unlock()
	if a.command.Annotations[recorded] == "" {
		return store.Operator{}, fmt.Errorf("%s is not marked as a command that changes the table", a.command.CommandPath())
	}
	if err := a.confirm(ctx, a.theTable()); err != nil {
		return store.Operator{}, err
	}
	who, err := a.whoAsks(ctx)
	if err != nil {
		return store.Operator{}, err
	}
	if a.changes++; a.changes > 1 {
		a.change = store.NewChange("", a.change.Reason, game.InstantOf(a.clock()))
	}
	change := a.begun()
	change.By = who.name
	return s.Operator(change), nil
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
