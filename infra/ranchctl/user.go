package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newUser(a *app) *cobra.Command {
	return group("user", "Look at, ban, log out and create users",
		&cobra.Command{Use: "get EMAIL|ID", Short: "Show a user", Args: cobra.ExactArgs(1), RunE: action(a.withUser(
			func(_ context.Context, _ *store.Store, user *game.Account) error { return a.printUser(user) }))},
		newUserChange(a, "ban", "Ban a user: from now on nothing of theirs changes, and their sessions are revoked",
			store.Operator.Ban),
		newUserChange(a, "unban", "Unban a user, who has to log in again",
			store.Operator.Unban),
		newUserChange(a, "revoke-sessions", "Revoke a user's sessions: refresh tokens at once, access tokens end within 15 minutes",
			store.Operator.RevokeSessions),
		newUserCreateExternal(a),
	)
}

// newUserChange is a command that changes the user whom its argument names, and shows the user as changed.
func newUserChange(a *app, name, short string, change func(o store.Operator, ctx context.Context, user game.ID) error) *cobra.Command {
	return changes(a, &cobra.Command{Use: name + " EMAIL|ID", Short: short, Args: cobra.ExactArgs(1), RunE: action(a.changingUser(
		func(ctx context.Context, s *store.Store, o store.Operator, user *game.Account) error {
			if err := change(o, ctx, user.ID); err != nil {
				return err
			}
			changed, err := s.Account(ctx, user.ID)
			if err == nil && changed == nil {
				err = store.ErrUnknownUser
			}
			if err != nil {
				return afterwards(err)
			}
			return a.printUser(changed)
		}))})
}

func newUserCreateExternal(a *app) *cobra.Command {
	var email, username string
	c := &cobra.Command{Use: "create-external --email EMAIL --username USERNAME",
		Short: "Create an account as an external sign-in does: no password, ranch, animals or gold", Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			if err := game.CheckExternalAccount(email, username); err != nil {
				return wrongInput(err)
			}
			return a.changing(func(ctx context.Context, _ *store.Store, o store.Operator, _ []string) error {
				account := game.NewExternalAccount(email, username, a.now())
				account.ID = a.newID()
				if err := o.CreateExternalAccount(ctx, account); err != nil {
					return err
				}
				return a.printUser(&account)
			})(ctx, args)
		})}
	c.Flags().StringVar(&email, "email", "", "its e-mail address")
	c.Flags().StringVar(&username, "username", "", "its username")
	require(c, "email", "username")
	return changes(a, c)
}

// withUser runs an action on the user that the first argument names.
func (a *app) withUser(do func(ctx context.Context, s *store.Store, user *game.Account) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if err := checkUserName(args[0]); err != nil {
			return err
		}
		return a.with(func(ctx context.Context, s *store.Store, args []string) error {
			user, err := findUser(ctx, s, args[0])
			if err != nil {
				return err
			}
			return do(ctx, s, user)
		})(ctx, args)
	}
}

// checkUserName refuses what can name no user.
func checkUserName(name string) error {
	if _, ok := game.ParseID(name); !ok && !game.ValidEmail(name) {
		return usagef("%q is neither a user id nor an e-mail address", name)
	}
	return nil
}

func findUser(ctx context.Context, s *store.Store, name string) (*game.Account, error) {
	find := func() (*game.Account, error) { return s.AccountByEmail(ctx, game.NormalizeEmail(name)) }
	if !strings.Contains(name, "@") {
		parsed, _ := game.ParseID(name)
		find = func() (*game.Account, error) { return s.Account(ctx, parsed) }
	}
	user, err := find()
	if err == nil && user == nil {
		err = store.ErrUnknownUser
	}
	return user, err
}

// userRecord is a user as login shows it, with what operators ask about.
type userRecord struct {
	game.User
	LastLoginAt  *game.Instant `json:"lastLoginAt"`
	SessionsFrom *game.Instant `json:"sessionsFrom"` // sessions that began before it are revoked; null: none are
	HasPassword  bool          `json:"hasPassword"`
	Ranch        *game.Ranch   `json:"ranch"`
}

func (a *app) printUser(u *game.Account) error {
	record := userRecord{User: u.User, LastLoginAt: u.LastLoginAt, HasPassword: u.PasswordHash != "", Ranch: u.Ranch}
	if u.SessionsFrom > 0 {
		record.SessionsFrom = &u.SessionsFrom
	}
	return printRecords(a, false, []userRecord{record}, "ID EMAIL USERNAME STATUS GOLD CREATED LAST-LOGIN PASSWORD RANCH", func(u userRecord) []any {
		ranch := absent
		if u.Ranch != nil {
			ranch = u.Ranch.Name
		}
		return []any{u.ID, u.Email, u.Username, u.Status, u.GoldBalance, u.CreatedAt, orDash(u.LastLoginAt), u.HasPassword, ranch}
	})
}
