package main

import (
	"encoding/json"
	"io"
	"maps"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
)

// changing has every command that changes the table, with arguments for a scene with a season, a show and Ann. A new
// command belongs here: TestEveryCommandIsInATable checks it.
var changing = map[string]func(x tool) []string{
	"season create": func(tool) []string {
		return []string{"--name", "Second", "--start", "-1h", "--end", "+30d", "--activate"}
	},
	"season activate": func(x tool) []string { return []string{string(x.Season.ID)} },
	"season recount":  func(x tool) []string { return []string{string(x.Season.ID)} },
	"show create": func(tool) []string {
		return []string{"--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "2h"}
	},
	"show set":    func(x tool) []string { return []string{string(x.Show.ID), "--fee", "20"} },
	"show cancel": func(x tool) []string { return []string{string(x.Show.ID)} },
	"show repair": func(x tool) []string {
		x.At("BOARD#all", x.Show.EntryClosesAt.String()+"#"+string(x.Show.ID)).Delete(x.t)
		return []string{string(x.Show.ID)}
	},
	"show judge": func(x tool) []string { return []string{string(x.Show.ID), "--force=early"} },
	"user ban":   func(x tool) []string { return []string{x.Ann.Email} },
	"user unban": func(x tool) []string {
		bob := x.AddPlayer(x.t, storetest.Bob)
		x.Ban(x.t, bob.ID)
		return []string{bob.Email}
	},
	"user revoke-sessions": func(x tool) []string { return []string{string(x.Ann.ID)} },
	"user create-external": func(tool) []string { return []string{"--email", "ext@example.com", "--username", "ext"} },
	"user set":             func(x tool) []string { return []string{"Ann", "--username", "Annie", "--email", "annie@example.com"} },
	"user reset-password":  func(x tool) []string { return []string{x.Ann.Email} },
	"user delete":          func(x tool) []string { return []string{string(x.Ann.ID), "--force=deletion"} },
	"gold set-from-ledger": func(x tool) []string {
		x.At("USER#"+string(x.Ann.ID), "PROFILE").Edit(x.t, "SET g = :gold", map[string]any{":gold": 499})
		return []string{"Ann"}
	},
	"gold adjust":  func(x tool) []string { return []string{"Ann", "5"} },
	"season close": func(x tool) []string { return []string{string(x.Season.ID), "--force=open"} },
	"animal set":   func(x tool) []string { return []string{string(x.Ann.Animals[0].ID), "--user", x.Ann.Email, "--dead"} },
}

// reading has every other command that needs the table.
var reading = map[string]func(x tool) []string{
	"season list":      nothing,
	"season standings": func(x tool) []string { return []string{string(x.Season.ID)} },
	"show list":        nothing,
	"show get":         func(x tool) []string { return []string{string(x.Show.ID)} },
	"show explain":     func(x tool) []string { return []string{string(x.Show.ID), string(x.Ann.Animals[0].ID)} },
	"show entries":     func(x tool) []string { return []string{string(x.Show.ID)} },
	"user get":         func(x tool) []string { return []string{x.Ann.Email} },
	"user list":        nothing,
	"user history":     func(x tool) []string { return []string{x.Ann.Email} },
	"user find":        func(tool) []string { return []string{"ann@"} },
	"user export":      func(x tool) []string { return []string{x.Ann.Email} },
	"animal list":      func(x tool) []string { return []string{x.Ann.Email} },
	"ledger list":      func(x tool) []string { return []string{x.Ann.Email} },
	"ledger verify":    nothing,
	"table verify":     nothing,
	"pending":          nothing,
	"audit":            nothing,
	"audit verify":     nothing,
}

func nothing(tool) []string { return nil }

// command returns the words of a command in the tables, with its arguments.
func (x tool) command(path string) []string {
	words := strings.Fields(path)
	if arguments, changes := changing[path]; changes {
		return slices.Concat(words, []string{"--reason", "tested"}, arguments(x))
	}
	return append(words, reading[path](x)...)
}

// elsewhere are the commands that need no table, or only write the public keys of the secret into it. The changes that
// they make of the secret have records in AWS CloudTrail.
var elsewhere = []string{"keys list", "keys publish", "keys retire", "keys rotate"}

func TestEveryCommandIsInATable(t *testing.T) {
	t.Parallel()
	found := map[bool][]string{}
	walk(newRoot(newApp(io.Discard, io.Discard, time.Now)), func(c *cobra.Command) {
		if !c.HasSubCommands() || c.Name() == "audit" { // which lists by itself, and verifies by its sub-command
			changes := c.Flags().Lookup("change") != nil
			found[changes] = append(found[changes], strings.TrimPrefix(c.CommandPath(), "ranchctl "))
		}
	})
	for _, paths := range found {
		slices.Sort(paths)
	}
	others := slices.Sorted(maps.Keys(reading))
	others = append(others, elsewhere...)
	slices.Sort(others)
	storetest.Equal(t, "commands that change the table", found[true], slices.Sorted(maps.Keys(changing)))
	storetest.Equal(t, "other commands", found[false], others)
}

// The policy Support allows exactly the reading commands. They print in each format, and change nothing. A denied
// change has certainly failed, and its error names the policy that it needs.
func TestTheReadPolicy(t *testing.T) {
	t.Parallel()
	x := toolIn(t, storetest.NewScene(t, game.InstantOf(fixed)), "Support")
	x.AddFair(t)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.Unchanged(t, func() {
		for path := range reading {
			for _, format := range formats {
				args := append(x.command(path), "-o", format)
				stdout, stderr, exit := x.run(args...)
				assert.True(t, exit == exitDone && stderr == "" && stdout != "", "%v: exit %d: %q %s", args, exit, stdout, stderr)
				assert.True(t, format != "json" || json.Valid([]byte(stdout)), "%v: %s", args, stdout)
			}
		}
	})
	o, err := operators()
	if err != nil || len(o.support.Unneeded()) > 0 {
		t.Errorf("%v; nothing needed %q", err, o.support.Unneeded())
	}
	x.Show = x.AddShow(t) // without entries
	for path := range changing {
		args := x.command(path)
		x.Unchanged(t, func() {
			x.refused(exitFailed, "the output OperatorsPolicy of infra/people.yaml's stack names", args...)
		})
	}
}

// Every change leaves one record with who and why. However often and whenever it is repeated under its id, it happens
// once and prints the same.
func TestEveryChangeIsRecordedAndRepeatable(t *testing.T) {
	t.Parallel()
	for path := range changing {
		t.Run(path, func(t *testing.T) {
			x := newTool(t)
			x.AddFair(t)
			args := append(x.command(path), "-o", "json")
			before := x.audit()
			stdout, stderr, exit := x.run(args...)
			require.Equal(t, exitDone, exit, "exit %d: %s", exit, stderr)
			made := x.auditSince(before)
			require.True(t, len(made) == 1 && made[0].By == localUser(t) && made[0].Reason == "tested" && made[0].At == game.InstantOf(fixed) && slices.Contains(auditActions, made[0].Action),
				"records %+v", made)
			x.Unchanged(t, func() {
				x.clock = func() time.Time { return fixed.Add(time.Hour) }
				again, stderr, exit := x.run(append(args, "--change", string(made[0].ID))...)
				assert.True(t, exit == exitDone && again == shownOnce.ReplaceAllString(stdout, "${1}null"),
					"again: exit %d: %s%s, at first %s", exit, again, stderr, stdout)
			})
		})
	}
}

// shownOnce matches a new password, which a repeated change does not show again.
var shownOnce = regexp.MustCompile(`("password": )"\w+"`)

// audit returns all records since the scene began.
func (x tool) audit() (records []operate.AuditRecord) {
	x.t.Helper()
	x.json(&records, "audit")
	return records
}

// auditSince returns the records that are not in before.
func (x tool) auditSince(before []operate.AuditRecord) []operate.AuditRecord {
	x.t.Helper()
	return slices.DeleteFunc(x.audit(), func(r operate.AuditRecord) bool {
		return slices.ContainsFunc(before, func(old operate.AuditRecord) bool { return old.ID == r.ID })
	})
}

func localUser(t *testing.T) string {
	t.Helper()
	who, err := user.Current()
	require.NoError(t, err)
	return "local:" + who.Username
}

// An account is created at the instant of its change, so that its export has the change.
func TestAnExternalAccountIsAsOldAsItsChange(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	now := fixed
	x.clock = func() time.Time { now = now.Add(time.Second); return now }
	_, stderr, exit := x.run("user", "create-external", "--email", "ext@example.com", "--username", "ext")
	require.Equal(t, exitDone, exit, "exit %d: %s", exit, stderr)
	var document struct{ ChangesByOperators []object }
	x.json(&document, "user", "export", "ext")
	assert.Len(t, document.ChangesByOperators, 1, "%+v", document)
}

// The shown password is the user's.
func TestTheNewPasswordIsTheUsers(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	var shown newPassword
	x.json(&shown, "user", "reset-password", x.Ann.Email)
	ok, err := password.Verify(x.HashOf(t, x.Ann.Email), *shown.Password)
	assert.True(t, ok && err == nil, "%+v: %t, %v", shown, ok, err)
}
