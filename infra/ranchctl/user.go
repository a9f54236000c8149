package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

func newUser(a *app) *cobra.Command {
	return group("user", "Find, look at, change, ban, log out, create and delete users",
		&cobra.Command{Use: "get EMAIL|USERNAME|ID", Short: "Show a user", Example: "  ranchctl user get ann@example.com", RunE: a.readingUser(a.printUser)},
		newUserChange(a, "ban", "Ban a user: they can change nothing any more, and their sessions are revoked", game.UserBanned, operate.Operator.Ban),
		newUserChange(a, "unban", "Unban a user, who must log in again", game.UserActive, operate.Operator.Unban),
		newUserChange(a, "revoke-sessions", "Revoke a user's sessions: refresh tokens end at once, access tokens within 15 minutes",
			"", operate.Operator.RevokeSessions),
		newUserFind(a), newUserList(a), newUserExport(a), newUserHistory(a), newUserSet(a), newUserResetPassword(a),
		newUserCreateExternal(a), newUserDelete(a),
	)
}

// newUserChange returns a command that changes the user in its argument, or the users in a file.
func newUserChange(a *app, name, short string, becomes game.UserStatus, change func(o operate.Operator, ctx context.Context, user game.ID) error) *cobra.Command {
	example := "  ranchctl user " + name + " ann@example.com --reason 'ticket 4711'\n  ranchctl user " + name + " -f cheats.csv --reason 'ticket 4711' --dry-run"
	return a.ofMany(&cobra.Command{Use: name + " (EMAIL|USERNAME|ID | -f FILE)", Short: short, Example: example}, users.columns,
		a.changeOfUser(name, becomes, change), "user")
}

// changeOfUser returns a function that plans a change of the user in its only argument. becomes is the status that the
// change gives, or "". If the user already has that status, the plan changes nothing.
func (a *app) changeOfUser(name string, becomes game.UserStatus, change func(o operate.Operator, ctx context.Context, user game.ID) error) func(args []string) (planner, error) {
	return a.changingUser(func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
		size, err := sizeOf(ctx, s, user)
		p := plan{
			change: fmt.Sprintf("%s %s: %s, %s", name, namedUser(user), user.Status, size), refused: gone(user),
			do:   func(ctx context.Context, o operate.Operator) error { return change(o, ctx, user.ID) },
			show: func(ctx context.Context) error { return a.printUserOf(ctx, s, user.ID) },
		}
		if user.Status == becomes {
			p.change, p.same = namedUser(user)+" is already "+string(becomes), true
		}
		return p, err
	})
}

func newUserCreateExternal(a *app) *cobra.Command {
	var email, username string
	c := &cobra.Command{Use: "create-external --email EMAIL --username USERNAME",
		Short:   "Create an account as an external sign-in does: no password, ranch, animals or gold",
		Example: "  ranchctl user create-external --email ann@example.com --username Ann"}
	c.Flags().StringVar(&email, "email", "", "its e-mail address")
	c.Flags().StringVar(&username, "username", "", "its username")
	markRequired(c, "email", "username")
	return a.changes(c, func([]string) (planner, error) {
		if err := game.CheckExternalAccount(email, username); err != nil {
			return nil, mark(wrongUsage, err)
		}
		return func(ctx context.Context, s operate.Desk) (plan, error) {
			p := plan{change: fmt.Sprintf("create the user %s, %s: without password, ranch, animals and gold", username, email)}
			var err error
			p.refused, err = taken(ctx, s, "", &email, &username)
			p.do = func(ctx context.Context, o operate.Operator) error {
				account := game.NewExternalAccount(email, username, a.change.At)
				account.ID = a.newID()
				if err := o.CreateExternalAccount(ctx, account); err != nil {
					return err
				}
				created, err := a.findUser(ctx, s, string(account.ID))
				if err != nil {
					return mark(made, err)
				}
				if created.Status != game.UserDeleted && (created.Email != account.Email || created.Username != account.Username) {
					return fmt.Errorf("%w: create user %s, %s", operate.ErrOtherChange, created.Email, created.Username)
				}
				return nil
			}
			p.show = func(ctx context.Context) error { return a.printUserOf(ctx, s, a.newID()) }
			return p, err
		}, nil
	})
}

// taken returns game.ErrTaken as refused if a user other than user has the address or the username. Either may be nil.
func taken(ctx context.Context, s operate.Desk, user game.ID, email, username *string) (refused, err error) {
	if email != nil {
		other, _, err := s.AccountByEmail(ctx, game.NormalizeEmail(*email))
		if err != nil || other != nil && other.ID != user {
			return game.ErrTaken, err
		}
	}
	if username == nil {
		return nil, nil
	}
	others, err := s.AccountsByUsername(ctx, *username)
	if slices.ContainsFunc(others, func(other game.Account) bool { return other.Username == *username && other.ID != user }) {
		return game.ErrTaken, err
	}
	return nil, err
}

func newUserDelete(a *app) *cobra.Command {
	c := &cobra.Command{Use: "delete EMAIL|USERNAME|ID --force=deletion",
		Short: "Delete a user for good: their names are free again, the ledger is kept under the id alone",
		Long: `Delete a user for good: their names are free again, no e-mail address or username stays in the table, the ledger is
kept under the id alone, and entries show 'deleted player'. Animals and their names stay, since shows are judged by them.
Unclaimed prizes are lost. If it fails after it has begun, repeat it with the user's id.`,
		Example: "  ranchctl user delete ann@example.com --dry-run\n  ranchctl user delete ann@example.com --force=deletion --reason 'ticket 4711'"}
	return a.changes(c, a.changingUser(func(ctx context.Context, s operate.Desk, user *game.Account) (plan, error) {
		size, err := sizeOf(ctx, s, user)
		p := plan{change: "delete " + namedUser(user) + ": " + size, word: user.Username, long: true}
		if user.Status != game.UserDeleted {
			p.doubts = []doubt{{deletion, "a deletion is for good"}}
		}
		p.do = func(ctx context.Context, o operate.Operator) error {
			entries, err := o.DeleteUser(ctx, user.ID)
			if err != nil {
				return fmt.Errorf("user %s: %w", user.ID, err)
			}
			return deletedUsers.one(a)(&deletedUser{user.ID, game.UserDeleted, entries}, nil)
		}
		return p, err
	}))
}

// deletedUser is a deleted user, with the number of entries that show 'deleted player' now.
type deletedUser struct {
	ID      game.ID         `json:"id"`
	Status  game.UserStatus `json:"status"`
	Entries int             `json:"entries"`
}

var deletedUsers = listing[deletedUser]{"ID STATUS ENTRIES", func(u deletedUser) []any { return []any{u.ID, u.Status, u.Entries} }}

// userReader is the work of a command on a user.
type userReader func(ctx context.Context, s operate.Desk, user *game.Account) error

// readingUser returns the RunE of a command that reads the user in its only argument.
func (a *app) readingUser(do userReader) func(*cobra.Command, []string) error {
	return a.parsing(func(args []string) (reader, error) { return a.withUser(args[0], do) })
}

// withUser returns the work of do on the user with this name.
func (a *app) withUser(name string, do userReader) (reader, error) {
	return func(ctx context.Context, s operate.Desk) error {
		user, err := a.findUser(ctx, s, name)
		if err != nil {
			return err
		}
		return do(ctx, s, user)
	}, checkUserName(name)
}

// checkUserName returns a usage error if the text cannot be a user's id, e-mail address or username.
func checkUserName(name string) error {
	name = strings.TrimSpace(name)
	if _, ok := game.ParseID(name); !ok && !game.ValidEmail(name) && !game.ValidUsername(name) {
		return usagef("%q is neither a user id nor an e-mail address nor a username", name)
	}
	return nil
}

// findUser returns the user with this id, e-mail address or username, ignoring case and surrounding spaces. A name can
// have only one of these forms. If several usernames differ by case alone, it returns the exact match, or an error that
// lists them. If there is no such user, the error contains a command that looks for similar ones.
func (a *app) findUser(ctx context.Context, s operate.Desk, name string) (user *game.Account, err error) {
	name = strings.TrimSpace(name)
	parsed, isID := game.ParseID(name)
	switch {
	case isID:
		user, err = s.Account(ctx, parsed)
	case strings.Contains(name, "@"):
		user, _, err = s.AccountByEmail(ctx, game.NormalizeEmail(name))
	default:
		user, err = findUsername(ctx, s, name)
	}
	if err != nil || user != nil {
		return user, err
	}
	if isID {
		return nil, fmt.Errorf("%w: %q", store.ErrUnknownUser, name)
	}
	return nil, fmt.Errorf("%w: %q: %s", store.ErrUnknownUser, name, a.similar(name))
}

// similar returns a text with the command that finds users with similar names.
func (a *app) similar(name string) string {
	start := []rune(name)
	if len(start) < records.NamePrefix {
		return "look for names that contain it with: " + a.toType("user", "list", "--with", name)
	}
	return "look for names that begin like it with: " + a.toType("user", "find", string(start[:records.NamePrefix]))
}

func findUsername(ctx context.Context, s operate.Desk, name string) (*game.Account, error) {
	found, err := s.AccountsByUsername(ctx, name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if typed := slices.IndexFunc(found, func(a game.Account) bool { return a.Username == name }); typed >= 0 {
		return &found[typed], nil
	}
	if len(found) == 1 {
		return &found[0], nil
	}
	names := make([]string, len(found))
	for i, a := range found {
		names[i] = named(a.Username, a.ID)
	}
	return nil, fmt.Errorf("%q may mean %s: give the id or the exact name", name, strings.Join(names, " or "))
}

// userRecord is a user as a log-in shows it, with further fields for operators.
type userRecord struct {
	game.User
	LastLoginAt  *game.Instant `json:"lastLoginAt"`
	SessionsFrom *game.Instant `json:"sessionsFrom"` // sessions from before are revoked; null: none are
	HasPassword  bool          `json:"hasPassword"`
	Ranch        *game.Ranch   `json:"ranch"`
}

// newUserRecords returns the records of the users, in their order. It reads 1 RCU for each user.
func newUserRecords(ctx context.Context, s operate.Desk, users ...game.Account) ([]userRecord, error) {
	records := []userRecord{}
	withPassword, err := s.WithPassword(ctx, users...)
	for _, u := range users {
		record := userRecord{User: u.User, LastLoginAt: u.LastLoginAt, HasPassword: withPassword[u.ID], Ranch: u.Ranch}
		if u.SessionsFrom > 0 {
			record.SessionsFrom = &u.SessionsFrom
		}
		records = append(records, record)
	}
	return records, err
}

func (a *app) printUser(ctx context.Context, s operate.Desk, u *game.Account) error {
	records, err := newUserRecords(ctx, s, *u)
	if err != nil {
		return err
	}
	return users.one(a)(&records[0], nil)
}

func (a *app) printUserOf(ctx context.Context, s operate.Desk, id game.ID) error {
	user, err := a.findUser(ctx, s, string(id))
	if err != nil {
		return err
	}
	return a.printUser(ctx, s, user)
}

var users = listing[userRecord]{"ID EMAIL USERNAME STATUS GOLD CREATED LAST-LOGIN PASSWORD RANCH", func(u userRecord) []any {
	ranch := absent
	if u.Ranch != nil {
		ranch = u.Ranch.Name
	}
	return []any{u.ID, orAbsent(u.Email), orAbsent(u.Username), u.Status, u.GoldBalance, u.CreatedAt, orDash(u.LastLoginAt), u.HasPassword, ranch}
}}

func newUserFind(a *app) *cobra.Command {
	var most int
	c := &cobra.Command{Use: "find TEXT [--limit N]",
		Short: "Find users whose e-mail address or username begins with a text, ignoring case",
		Long: `Find users whose e-mail address or username begins with a text of at least 3 characters, ignoring case. It reads only the
matching names, at 1 read unit for about 40, and 2 more for each user that it shows. To find a text in the middle of a
name, use 'user list --with TEXT'.`,
		Example: "  ranchctl user find ann@ex",
		RunE: a.parsing(func(args []string) (reader, error) {
			text := strings.TrimSpace(args[0])
			if len(text) < records.NamePrefix {
				return nil, usagef("%q is too short: give at least %d characters", text, records.NamePrefix)
			}
			if most < 1 || most > mostFound {
				return nil, usagef("--limit %d: must be from 1 to %d", most, mostFound)
			}
			return func(ctx context.Context, s operate.Desk) error {
				found, more, err := s.FindAccounts(ctx, text, most)
				if err != nil {
					return err
				}
				if more {
					a.warn("there are more than these %d: give more of the name, or a larger --limit", len(found))
				}
				if len(found) == 0 {
					a.say("no address and no username begins with %q. To look for it anywhere in them: %s", text, a.toType("user", "list", "--with", text))
				}
				return users.list(a)(newUserRecords(ctx, s, found...))
			}, nil
		})}
	c.Flags().IntVar(&most, "limit", 20, "show at most N users")
	return c
}

// mostFound is the most users that 'user find' shows.
const mostFound = 1000

func newUserList(a *app) *cobra.Command {
	var since, with string
	c := &cobra.Command{Use: "list [--since TIME] [--with TEXT]", Short: "List users by their creation; reads the whole table", Example: "  ranchctl user list --since -7d -o csv\n  ranchctl user list --with smith",
		Long: `List users by their creation, deleted ones too. The table does not order users, so this reads all of it, also with
--since and --with: 1 read unit for every 4 KB, and 1 for each listed user. A table of 1 GB takes 262,144 units, which cost 3 cents.
It reports its progress on stderr.`,
		RunE: a.parsing(func([]string) (reader, error) {
			a.long = true
			from := game.Instant(0)
			if since != "" {
				var err error
				if from, err = a.instant("since", since); err != nil {
					return nil, err
				}
			}
			return func(ctx context.Context, s operate.Desk) error {
				var found []game.Account
				seen := 0
				read := a.progress("users read")
				err := s.EachAccount(ctx, func(user game.Account) error {
					if user.CreatedAt >= from && strings.Contains(strings.ToLower(user.Email+" "+user.Username), strings.ToLower(with)) {
						found = append(found, user)
					}
					seen++
					read.At(seen, 0)
					return nil
				})
				read.End()
				if err != nil {
					return err
				}
				if with != "" && len(found) == 0 {
					a.say("found no user with %q in the e-mail address or username", with)
				}
				slices.SortFunc(found, func(x, y game.Account) int {
					return cmp.Or(cmp.Compare(x.CreatedAt, y.CreatedAt), cmp.Compare(x.ID, y.ID))
				})
				return users.list(a)(newUserRecords(ctx, s, found...))
			}, nil
		})}
	c.Flags().StringVar(&since, "since", "", "only users created at this time or later")
	c.Flags().StringVar(&with, "with", "", "only users with this text anywhere in the e-mail address or username, ignoring case")
	return c
}
