package logs

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// parallelReads is how many accounts or shows are read at once.
const parallelReads = 16

// CheckTable compares the records with the table: each account's ledger, each show that is named, and what operators
// have banned. It reads the whole table, each ledger, and the entries of the shows. It calls progress, which may be
// nil, after each account. Call it once, when all records have been added.
func (c *Checker) CheckTable(ctx context.Context, s *store.Store, progress func(accounts int)) error {
	c.report.Table = &TableReport{}
	bans, err := c.readBans(ctx, s)
	if err != nil {
		return err
	}
	if err := c.checkAccounts(ctx, s, bans, progress); err != nil {
		return err
	}
	return c.checkShows(ctx, s)
}

func (c *Checker) checkAccounts(ctx context.Context, s *store.Store, bans map[game.ID][]ban, progress func(int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	there := map[game.ID]bool{}
	err := s.EachAccount(ctx, func(a game.Account) error {
		there[a.ID] = true
		if progress != nil {
			progress(len(there))
		}
		group.Go(func() error { return c.checkAccount(ctx, s, a.ID, bans[a.ID]) })
		return ctx.Err()
	})
	if err := cmp.Or(group.Wait(), err); err != nil { // the first one is why the reading ended, too
		return err
	}
	for user, records := range c.byUser {
		for _, r := range records {
			if r.Kind == Register && r.Outcome == Done && !there[user] {
				c.violation("no account", fmt.Sprintf("user %s has registered, and there is no such account", user), *r)
			}
		}
	}
	c.report.Table.Accounts = len(there)
	return nil
}

// checkAccount compares an account with its ledger, and the ledger with the user's records.
func (c *Checker) checkAccount(ctx context.Context, s *store.Store, user game.ID, bans []ban) error {
	audit, err := s.AuditLedger(ctx, user)
	if err != nil {
		return err
	}
	for _, difference := range audit.Differences {
		c.violation("ledger", fmt.Sprintf("the ledger of %s: %s", user, difference))
	}
	rows, err := s.Ledger(ctx, user)
	if err != nil {
		return err
	}
	records := c.byUser[user]
	c.checkLedger(user, rows, records)
	for _, b := range bans {
		c.checkBan(user, b, records)
	}
	return nil
}

func (c *Checker) checkShows(ctx context.Context, s *store.Store) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for show, records := range c.byShow {
		group.Go(func() error { return c.checkStored(ctx, s, show, records) })
	}
	return group.Wait()
}
