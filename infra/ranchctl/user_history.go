package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func newUserHistory(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "history USER", Short: "Show all that has happened to a user in the order of time",
		Long: `Show all that has happened to a user in the order of time: the registration, the rows of the ledger, entries with their
animals and shows, results with their points, prizes that are claimed or not, and what operators have changed of the user and the animals. USER is an e-mail
address, a username or an id; a deleted user has only the id.

It reads the ledger, the shows that the user has entered, and the records of changes since the registration. If records
are missing or damaged, it prints the others, names these with the command that repairs them, and ends with 1.`,
		Example: "  ranchctl user history ann@example.com",
		RunE: a.readingUser(func(ctx context.Context, s operate.Desk, user *game.Account) error {
			found, unread := a.history(ctx, s, user)
			return errors.Join(events.list(a)(found, nil), unread)
		})}
}

// event is something that has happened to a user.
type event struct {
	At      game.Instant `json:"at"`
	Event   string       `json:"event"`
	Detail  string       `json:"detail"`
	Gold    *int64       `json:"gold"` // the change of the balance; null: the event is no row of the ledger
	Balance *int64       `json:"balance"`
	Show    *game.ID     `json:"showId"`
	By      string       `json:"by"` // "" for the user or the service
}

var events = listing[event]{"TIME EVENT GOLD BALANCE BY SHOW DETAIL", func(e event) []any {
	return []any{e.At, e.Event, orDash(e.Gold), orDash(e.Balance), orAbsent(e.By), orDash(e.Show), orAbsent(e.Detail)}
}}

// history returns the events that it can read, sorted by time. Its error names what it cannot read.
func (a *app) history(ctx context.Context, s operate.Desk, user *game.Account) ([]event, error) {
	all := []event{{At: user.CreatedAt, Event: "registered"}}
	rows, unread := a.ledger(ctx, s, user.ID)
	for _, r := range rows {
		all = append(all, event{At: r.CreatedAt, Event: string(r.Category), Detail: r.Description, Gold: &r.Amount, Balance: &r.BalanceAfter, Show: r.RefID})
	}
	played, err := s.PlayedShows(ctx, user.ID)
	unread = errors.Join(unread, err)
	for _, p := range played {
		for _, e := range p.Entries {
			all = append(all, event{At: e.CreatedAt, Event: "entered", Detail: e.AnimalName + " in " + p.Show.Name, Show: &p.Show.ID})
			if p.Show.JudgedAt != nil {
				all = append(all, event{At: *p.Show.JudgedAt, Event: "judged", Detail: placed(e) + " in " + p.Show.Name, Show: &p.Show.ID})
			}
		}
		best := p.Entries[0]
		switch {
		case p.Receipt != nil:
			all = append(all, event{At: p.Receipt.ClaimedAt, Event: "claimed", Detail: fmt.Sprintf("%d gold in %s", p.Receipt.Prize, p.Show.Name), Show: &p.Show.ID})
		case best.Rank != nil && game.Prize(p.Show.Tier, *best.Rank) > 0:
			won := fmt.Sprintf("%d gold in %s, which the user can still claim", game.Prize(p.Show.Tier, *best.Rank), p.Show.Name)
			all = append(all, event{At: *p.Show.JudgedAt, Event: "unclaimed", Detail: won, Show: &p.Show.ID})
		}
	}
	if user.LastLoginAt != nil {
		all = append(all, event{At: *user.LastLoginAt, Event: "last log-in"})
	}
	changes, err := a.changesOf(ctx, s, user)
	for _, c := range changes {
		detail := cmp.Or(c.Difference(), "-")
		if c.Reason != "" {
			detail += " (" + c.Reason + ")"
		}
		all = append(all, event{At: c.At, Event: c.Action, By: c.By, Detail: detail})
	}
	slices.SortStableFunc(all, func(x, y event) int { return cmp.Compare(x.At, y.At) })
	return all, errors.Join(unread, err)
}

// ledger returns a user's ledger. If a row is missing before a later row, it also returns an error.
func (a *app) ledger(ctx context.Context, s operate.Desk, user game.ID) ([]game.LedgerEntry, error) {
	rows, err := s.Ledger(ctx, user)
	for i, r := range rows {
		if seq := int64(i) + 1; r.Seq != seq {
			return rows, fmt.Errorf("row %d of the ledger is missing, or the entry that it is the fee of: find the record with: %s", seq, a.toType("table", "verify"))
		}
	}
	return rows, err
}

// placed returns the result of an entry, in words.
func placed(e game.Entry) string {
	if e.Rank == nil {
		return fmt.Sprintf("%s unranked, %d points", e.AnimalName, game.SeasonPoints(0))
	}
	return fmt.Sprintf("%s rank %d, %d points", e.AnimalName, *e.Rank, game.SeasonPoints(*e.Rank))
}

// changesOf returns the records of operators' changes of a user and of the user's animals.
func (a *app) changesOf(ctx context.Context, s operate.Desk, user *game.Account) ([]operate.AuditRecord, error) {
	animals, err := s.Animals(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	subjects := subjectsOf(user.ID, animals)
	records, err := s.Audit(ctx, user.CreatedAt, 0)
	return slices.DeleteFunc(records, func(r operate.AuditRecord) bool { return !slices.Contains(subjects, r.Subject) }), err
}

// subjectsOf returns the subjects of records about a user and these animals.
func subjectsOf(user game.ID, animals []game.Animal) []string {
	subjects := []string{"user " + string(user)}
	for _, animal := range animals {
		subjects = append(subjects, "animal "+string(animal.ID))
	}
	return subjects
}
