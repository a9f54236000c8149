package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newUserExport(a *app) *cobra.Command {
	return &cobra.Command{Use: "export EMAIL|USERNAME|ID", Example: "  ranchctl user export ann@example.com > ann.json",
		Short: "Print all that is stored about a user as one JSON document, for the user",
		Long: `Print all that is stored about a user as one JSON document, for the user: the account, the animals, the ledger, the
entries with their results and receipts, and what operators have changed. It leaves out the password's hash, the
operators' names, and the sessions. For each session the table has the token's digest, the user's id and its end.`,
		RunE: action(a.withUser(func(ctx context.Context, s *store.Store, user *game.Account) error {
			document, err := a.export(ctx, s, user)
			if err != nil {
				return err
			}
			return a.printJSON(document)
		}))}
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
	Entries []exportedEntry `json:"entries"`
	Claim   *store.Receipt  `json:"claim"`
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

func (a *app) export(ctx context.Context, s *store.Store, user *game.Account) (document userExport, err error) {
	records, err := newUserRecords(ctx, s, *user)
	if err != nil {
		return userExport{}, err
	}
	document = userExport{ExportedAt: a.now(), User: records[0], Shows: []exportedShow{}, Changes: []exportedChange{}}
	if document.Animals, err = s.Animals(ctx, user.ID); err != nil {
		return userExport{}, err
	}
	if document.Ledger, err = s.Ledger(ctx, user.ID); err != nil {
		return userExport{}, err
	}
	played, err := s.PlayedShows(ctx, user.ID)
	if err != nil {
		return userExport{}, err
	}
	for _, p := range played {
		show := exportedShow{Show: p.Show, Entries: []exportedEntry{}, Claim: p.Receipt}
		for _, entry := range p.Entries {
			show.Entries = append(show.Entries, exportedEntry{entry, entry.CreatedAt})
		}
		document.Shows = append(document.Shows, show)
	}
	changes, err := a.changesOf(ctx, s, user)
	for _, c := range changes {
		document.Changes = append(document.Changes, exportedChange{c.At, c.Action, c.Subject, c.Before, c.After, c.Reason})
	}
	return document, err
}
