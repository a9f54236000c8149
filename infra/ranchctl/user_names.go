package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
)

func newUserSet(a *app) *cobra.Command {
	var email, username, ranch string
	c := &cobra.Command{
		Use: "set USER [--email EMAIL] [--username USERNAME] [--ranch-name NAME]", Short: "Change a user's e-mail address, username or ranch's name",
		Long: `Change a user's e-mail address, username or ranch's name. USER is an e-mail address, a username or an id.

The user logs in with the new address from then on, and keeps the password. Every entry shows the new username, also in
shows that are over; if this is interrupted, repeat the same command. What the game shows from an access token changes
at the next refresh, within 15 minutes. The record says which names were set, but not their values.`,
		Example: "  ranchctl user set Ann --username Annie --reason 'ticket 4711'",
	}
	f := c.Flags()
	f.StringVar(&email, "email", "", "the new e-mail address")
	f.StringVar(&username, "username", "", "the new username")
	f.StringVar(&ranch, "ranch-name", "", "the new name of the ranch")
	c.MarkFlagsOneRequired("email", "username", "ranch-name")
	return a.changes(c, func(args []string) (planner, error) {
		email, username = strings.TrimSpace(email), strings.TrimSpace(username)
		var change operate.UserChange
		problems := game.Registration{Email: email, Username: username, RanchName: ranch}.Problems()
		for _, name := range []struct {
			flag, field string
			value       *string
			into        **string
		}{
			{"email", game.FieldEmail, &email, &change.Email}, {"username", game.FieldUsername, &username, &change.Username},
			{"ranch-name", game.FieldRanchName, &ranch, &change.RanchName},
		} {
			if !f.Changed(name.flag) {
				continue
			}
			if problems := problems[name.field]; len(problems) > 0 {
				return nil, usagef("--%s %q: %s", name.flag, *name.value, strings.Join(problems, " "))
			}
			*name.into = name.value
		}
		email = game.NormalizeEmail(email)
		return a.ofUser(args[0], func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
			return a.planUser(ctx, s, user, change)
		})
	})
}

func (a *app) planUser(ctx context.Context, s operate.Desk, user *game.Account, change operate.UserChange) (plan, error) {
	becomes, _ := change.Apply(*user)
	var d differences
	differ(&d, "e-mail address", user.Email, becomes.Email)
	differ(&d, "username", user.Username, becomes.Username)
	if user.Ranch != nil {
		differ(&d, "ranch", user.Ranch.Name, becomes.Ranch.Name)
	}
	p, size := d.set(namedUser(user)), ""
	refused, err := taken(ctx, s, user.ID, change.Email, change.Username)
	if err == nil && change.Username != nil {
		if size, err = sizeOf(ctx, s, user); err == nil {
			p.change += ", which has " + size
		}
	}
	switch {
	case user.Status == game.UserDeleted:
		p.refused = operate.ErrDeletedUser
	case change.RanchName != nil && user.Ranch == nil:
		p.refused = operate.ErrNoRanch
	case refused != nil:
		p.refused = refused
	}
	p.same = p.same && change.Username == nil // else entries may still have the old name
	p.long = true
	p.do = func(ctx context.Context, o operate.Operator) error {
		if _, err := o.SetUser(ctx, user.ID, change); err != nil {
			return fmt.Errorf("user %s: %w", user.ID, err)
		}
		changed, err := a.findUser(ctx, s, string(user.ID))
		if err != nil {
			return mark(made, err)
		}
		if _, differs := change.Apply(*changed); len(differs) > 0 && changed.Status != game.UserDeleted {
			return fmt.Errorf("the user has other names: a later change has set them, or --change is the id of another change")
		}
		return nil
	}
	p.show = func(ctx context.Context) error { return a.printUserOf(ctx, s, user.ID) }
	return p, err
}

// newPassword is what 'user reset-password' prints.
type newPassword struct {
	ID       game.ID `json:"id"`
	Email    string  `json:"email"`
	Username string  `json:"username"`
	Password *string `json:"password"` // null: the first attempt has shown it
}

var newPasswords = listing[newPassword]{"ID EMAIL USERNAME PASSWORD", func(p newPassword) []any {
	return []any{p.ID, p.Email, p.Username, orDash(p.Password)}
}}

func newUserResetPassword(a *app) *cobra.Command {
	return a.changes(&cobra.Command{
		Use: "reset-password USER", Short: "Give a user a new password, which is shown once, and end their sessions",
		Long: `Give a user a new password, which is shown once, and end their sessions. USER is an e-mail address, a username or an id.

The old password and refresh tokens end at once, access tokens within 15 minutes. The password is nowhere in the table
and in no record: if it is lost, reset it again. A user who signs in through another provider has none.`,
		Example: "  ranchctl user reset-password ann@example.com --reason 'ticket 4711'",
	}, a.changingUser(a.planReset))
}

func (a *app) planReset(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
	p := plan{change: fmt.Sprintf("give %s, %s, a new password, and end all sessions", namedUser(user), user.Email), refused: gone(user)}
	with, err := s.WithPassword(ctx, *user)
	if p.refused == nil && !with[user.ID] {
		p.refused = operate.ErrNoPassword
	}
	secret := rand.Text() // 26 letters and digits, 130 bits
	var hash string
	p.do = func(ctx context.Context, o operate.Operator) error {
		hash = password.Hash(secret)
		return o.ResetPassword(ctx, user.ID, hash)
	}
	p.show = func(ctx context.Context) error {
		now, err := a.findUser(ctx, s, string(user.ID))
		if err != nil {
			return err
		}
		shown := newPassword{now.ID, now.Email, now.Username, &secret}
		if _, stored, err := s.AccountByEmail(ctx, now.Email); err == nil && stored != hash {
			a.warn("the password was reset before under this change, and was shown then; if it is lost, reset it again without --change")
			shown.Password = nil
		}
		return newPasswords.one(a)(&shown, nil)
	}
	return p, err
}
