package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func newUserExport(a *app) *cobra.Command {
	return &cobra.Command{Use: "export EMAIL|USERNAME|ID", Example: "  ranchctl user export ann@example.com > ann.json",
		Short: "Print all that is stored about a user as one JSON document, for the user",
		Long: `Print all that is stored about a user as one JSON document, for the user: the account, the animals, the ledger, the
entries with their results and receipts, and what operators have changed. It leaves out the password's hash, the
operators' names, and the sessions. For each session the table has the token's digest, the user's id and its end. If
records are missing or damaged, it prints the others, names these with the command that repairs them, and ends with 1.`,
		RunE: a.readingUser(func(ctx context.Context, s operate.Desk, user *game.Account) error {
			document, unread := a.export(ctx, s, user)
			return errors.Join(a.printJSON(document), unread)
		})}
}

// userExport has all that is stored about a user, except secrets and sessions.
type userExport struct {
	ExportedAt game.Instant       `json:"exportedAt"`
	User       userRecord         `json:"user"`
	Animals    []game.Animal      `json:"animals"`
	Ledger     []game.LedgerEntry `json:"ledger"`
	Shows      []exportedShow     `json:"shows"`
	Changes    []exportedChange   `json:"changesByOperators"`
}

type exportedShow struct {
	game.Show
	Entries []exportedEntry  `json:"entries"`
	Claim   *operate.Receipt `json:"claim"`
}

type exportedEntry struct {
	game.Entry
	EnteredAt game.Instant `json:"enteredAt"`
}

type exportedChange struct {
	At      game.Instant    `json:"at"`
	Action  string          `json:"action"`
	Subject string          `json:"subject"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

// export returns what it can read. Its error names what it cannot read.
func (a *app) export(ctx context.Context, s operate.Desk, user *game.Account) (document userExport, unread error) {
	records, unreadRecord := newUserRecords(ctx, s, *user)
	document = userExport{ExportedAt: a.now(), User: records[0], Shows: []exportedShow{}, Changes: []exportedChange{}}
	var unreadAnimals, unreadRows error
	document.Animals, unreadAnimals = s.Animals(ctx, user.ID)
	document.Ledger, unreadRows = a.ledger(ctx, s, user.ID)
	played, unreadShows := s.PlayedShows(ctx, user.ID)
	for _, p := range played {
		show := exportedShow{Show: p.Show, Entries: []exportedEntry{}, Claim: p.Receipt}
		for _, entry := range p.Entries {
			show.Entries = append(show.Entries, exportedEntry{entry, entry.CreatedAt})
		}
		document.Shows = append(document.Shows, show)
	}
	changes, unreadChanges := a.changesOf(ctx, s, user)
	for _, c := range changes {
		document.Changes = append(document.Changes, exportedChange{c.At, c.Action, c.Subject, c.Before, c.After, c.Reason})
	}
	return document, errors.Join(unreadRecord, unreadAnimals, unreadRows, unreadShows, unreadChanges)
}
