package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// mostGold is how much gold a change may move without --force: a hundred times a usual compensation.
const mostGold = 10_000

// mostShown is how many parts of a change the question at the terminal shows.
const mostShown = 10

// plan is what a command is about to change, as read before it asks.
type plan struct {
	about   game.ID  // what is changed; "" where no file can name it
	change  string   // the change and its size, in a line
	parts   []string // several changes that it consists of
	notes   []string // that the operator should know, too
	gold    int64    // how much gold it moves
	doubts  []string // why it takes --force, or word typed at a terminal
	word    string
	refused error // why the change fails, unless it was made before
	same    bool  // nothing would be different

	do   func(ctx context.Context, o store.Operator) error
	long bool                            // do takes as long as it takes
	show func(ctx context.Context) error // prints what has become of it; nil: do has printed it
}

// make makes the change.
func (p plan) make(ctx context.Context, o store.Operator) error {
	if !p.long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callPatience)
		defer cancel()
	}
	return p.do(ctx, o)
}

// preview is a plan as it is printed.
type preview struct {
	Change string   `json:"change"`
	Parts  []string `json:"parts"`
	Notes  []string `json:"notes"`
	Needs  []string `json:"needsForce"` // why; empty: it needs none
}

var previews = table[string]{"CHANGE", func(line string) []any { return []any{line} }}

// carryOut is the way of every change: it prints the plan for --dry-run, or asks, makes the change and shows what has
// become of it.
func (a *app) carryOut(ctx context.Context, what string, p plan, do func(ctx context.Context) error) error {
	if p.refused != nil && a.repeated == "" {
		return p.refused
	}
	if p.gold > mostGold {
		p.doubts = append(p.doubts, fmt.Sprintf("%s gold is more than %s", grouped(p.gold), grouped(mostGold)))
	}
	for _, note := range p.notes {
		a.warn("%s", note)
	}
	if a.dryRun {
		if len(p.doubts) > 0 && !a.force {
			a.say("it needs --force: %s", joinSome(p.doubts))
		}
		a.say("nothing is changed by --dry-run")
		shown := preview{p.change, append([]string{}, p.parts...), append([]string{}, p.notes...), append([]string{}, p.doubts...)}
		return previews.print(a, shown, append([]string{p.change}, p.parts...), nil)
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
	return afterwards(p.show(ctx))
}

// joinSome joins the first of the texts.
func joinSome(texts []string) string {
	if left := len(texts) - mostShown; left > 0 {
		texts = append(texts[:mostShown:mostShown], fmt.Sprintf("and %d more", left))
	}
	return strings.Join(texts, "; ")
}

// differences are what a change makes different: "fee: 25 -> 20".
type differences []string

// differ adds a difference, if there is one.
func differ[V comparable](d *differences, name string, was, is V) {
	if was != is {
		*d = append(*d, fmt.Sprintf("%s: %v -> %v", name, was, is))
	}
}

// set is the plan of a change that makes these differences; it is the same without any.
func (d differences) set(subject string) plan {
	if len(d) == 0 {
		return plan{change: subject + " is like that already", same: true}
	}
	return plan{change: "set " + subject + ": " + strings.Join(d, ", ")}
}

// counted is a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

// grouped is a number with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// named is what a preview calls something that has a name and an id.
func named(name string, id game.ID) string { return name + " (" + string(id) + ")" }

// namedUser is what a preview calls a user.
func namedUser(u *game.Account) string {
	if u.Status == game.UserDeleted {
		return named(game.DeletedPlayer, u.ID)
	}
	return named(u.Username, u.ID)
}

// sizeOf says how much a user has: entries and gold.
func sizeOf(ctx context.Context, s *store.Store, u *game.Account) (string, error) {
	entries, err := s.EntryCount(ctx, u.ID)
	return counted(entries, "entry", "entries") + ", " + grouped(u.GoldBalance) + " gold", err
}

// gone is why a change of a deleted user is refused.
func gone(u *game.Account) error {
	if u.Status == game.UserDeleted {
		return store.ErrDeletedUser
	}
	return nil
}

// overSeason says why a change about a season that is over takes --force.
func (a *app) overSeason(season *game.Season) []string {
	if season == nil || season.EndDate > a.present() {
		return nil
	}
	return []string{fmt.Sprintf("the season %s has been over since %v", named(season.Name, season.ID), season.EndDate)}
}
