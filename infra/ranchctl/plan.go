package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// mostShown is the largest number of parts of a change that the question at the terminal shows.
const mostShown = 10

// plan is the change that a command is about to make, based on what it has read.
type plan struct {
	about   game.ID  // the subject, by which a file's lines must differ; may be ""
	change  string   // the change and its size, on one line
	parts   []string // the changes that it consists of, if several
	notes   []string // further facts for the operator
	gold    int64    // how much gold it moves
	doubts  []doubt  // why it needs --force, or word typed at a terminal
	word    string   // a name or a count
	refused error    // why the change would fail; a repeated change is tried in any case
	same    bool     // it would change nothing

	do   func(ctx context.Context, o operate.Operator) error
	long bool                            // do has no time limit
	show func(ctx context.Context) error // prints the result; nil: do has printed it
}

// make makes the change, within callPatience if the plan is not long.
func (p plan) make(ctx context.Context, o operate.Operator) error {
	if !p.long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callPatience)
		defer cancel()
	}
	return p.do(ctx, o)
}

// preview is the printed form of a plan.
type preview struct {
	Change string   `json:"change"`
	Parts  []string `json:"parts"`
	Notes  []string `json:"notes"`
	Needs  []doubt  `json:"needsForce"` // the doubts; empty: it does not need --force
}

var previews = listing[string]{"CHANGE", func(line string) []any { return []any{line} }}

// carryOut carries out a plan. With --dry-run it only prints the plan. Otherwise it asks, makes the change and prints
// the result. If the plan changes nothing and is not repeated, it only prints the current state.
func (a *app) carryOut(ctx context.Context, what string, p plan, do func(ctx context.Context) error) error {
	if p.refused != nil && a.repeated == "" {
		return p.refused
	}
	if p.gold > mostGold {
		p.doubts = append(p.doubts, doubtf(large, "%s gold is more than %s", grouped(p.gold), grouped(mostGold)))
	}
	for _, note := range p.notes {
		a.warn("%s", note)
	}
	if a.dryRun {
		if len(p.doubts) > 0 {
			a.say("it needs %s: %s", forcing(p.doubts), reasons(p.doubts))
		}
		a.say("--dry-run changes nothing")
		shown := preview{p.change, append([]string{}, p.parts...), append([]string{}, p.notes...), append([]doubt{}, p.doubts...)}
		return previews.print(a, shown, append([]string{p.change}, p.parts...), nil)
	}
	if err := a.failures.checkClock(); err != nil {
		return err
	}
	if p.same && a.repeated == "" {
		a.say("nothing is changed: %s", p.change)
	} else {
		if err := a.agree(ctx, what, p); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return err
		}
	}
	if p.show == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	return mark(made, p.show(ctx))
}

// differences are the differences that a change makes, such as "fee: 25 -> 20".
type differences []string

// differ adds a difference if the two values differ.
func differ[V comparable](d *differences, name string, was, is V) {
	if was != is {
		*d = append(*d, fmt.Sprintf("%s: %v -> %v", name, was, is))
	}
}

// set returns the plan of a change that makes these differences. If there are none, the plan's same is true.
func (d differences) set(subject string) plan {
	if len(d) == 0 {
		return plan{change: subject + " is already like that", same: true}
	}
	return plan{change: "set " + subject + ": " + strings.Join(d, ", ")}
}

// counted returns a number with the noun for it.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

// grouped returns a number with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// named returns a name with its id, for previews.
func named(name string, id game.ID) string { return name + " (" + string(id) + ")" }

// namedUser returns a user's shown name and id, for previews.
func namedUser(u *game.Account) string {
	if u.Status == game.UserDeleted {
		return named(game.DeletedPlayer, u.ID)
	}
	return named(u.Username, u.ID)
}

// sizeOf returns how many entries and how much gold a user has, for previews.
func sizeOf(ctx context.Context, s operate.Desk, u *game.Account) (string, error) {
	entries, err := s.EntryCount(ctx, u.ID)
	return counted(entries, "entry", "entries") + ", " + grouped(u.GoldBalance) + " gold", err
}

// gone returns store.ErrDeletedUser if the user is deleted, and otherwise nil.
func gone(u *game.Account) error {
	if u.Status == game.UserDeleted {
		return operate.ErrDeletedUser
	}
	return nil
}
