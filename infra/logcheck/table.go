package logcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// ErrUnread means that CheckTable could not read some accounts, shows or operators' records, which the error names. It
// has compared all others.
var ErrUnread = errors.New("cannot be read")

// parallelReads is the number of accounts or shows that CheckTable reads concurrently.
const parallelReads = 16

// Progress has functions that CheckTable calls with numbers: first of accounts, whose total it does not know in
// advance, then of shows. The calls do not overlap. Either function may be nil.
type Progress struct {
	Accounts func(done int)
	Shows    func(done, total int)
}

// CheckTable compares the records with the table: with each account's ledger, each show that a record names, and,
// unless Complete, the operators' bans. It reads the whole table, each ledger, and the entries of the shows, at the
// pace of AuditLedgers. Call it once, when all records have been added.
//
// If an account or a show cannot be read within the patience, CheckTable reports a violation and compares all others.
// It then returns an ErrUnread that names it. If 16 consecutive reads have no answer of the table, or if ctx ends,
// CheckTable returns that error at once. In any case the report has what was found.
func (c *Checker) CheckTable(ctx context.Context, s *store.Store, progress Progress) error {
	c.report.Table = &TableReport{}
	ctx = store.Patiently(ctx)
	err := c.read(ctx, "the operators' records", func(ctx context.Context) error {
		if c.options.Complete {
			return nil // the callers' records have the bans, to the millisecond
		}
		return c.addBans(ctx, s)
	})
	if err == nil {
		err = c.checkAccounts(ctx, s, progress.Accounts)
	}
	if err == nil {
		err = c.checkShows(ctx, s, progress.Shows)
	}
	return cmp.Or(err, c.errUnread())
}

// mostSilent is the number of consecutive failed reads after which CheckTable treats the table as unreachable.
const mostSilent = parallelReads

// read reads and compares one account or show within the patience. If something is only partly visible, the store reads
// it again. read returns an error only if the table does not answer, or if ctx ends.
func (c *Checker) read(ctx context.Context, what string, compare func(ctx context.Context) error) error {
	patience := cmp.Or(c.options.Patience, DefaultPatience)
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := compare(bounded)
	noAnswer := errors.As(err, new(*smithy.OperationError))
	silent := int32(0)
	if noAnswer {
		silent = c.silent.Add(1)
	} else {
		c.silent.Store(0)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("while reading %s: %w", what, ctx.Err())
	case silent >= mostSilent:
		return fmt.Errorf("the table does not answer: %s: %w", what, err)
	}
	why := err.Error()
	switch {
	case noAnswer && bounded.Err() != nil: // the error only states that the time is over
		why = fmt.Sprintf("not read as a whole within %v", patience)
	case bounded.Err() != nil:
		why = fmt.Sprintf("not read as a whole within %v: %s", patience, why)
	}
	c.violation("cannot be read", fmt.Sprintf("cannot be read: %s: %s", what, why))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = append(c.unread, what)
	return nil
}

// errUnread returns an ErrUnread with the names of what could not be read, or nil if everything was read.
func (c *Checker) errUnread() error {
	names, more := c.unread, ""
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	if n := len(names) - mostOfARule; n > 0 {
		names, more = names[:mostOfARule], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%w: %s%s", ErrUnread, strings.Join(names, ", "), more)
}

func (c *Checker) checkAccounts(ctx context.Context, s *store.Store, progress func(int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	there := map[game.ID]bool{}
	err := s.AuditLedgers(ctx, func(audit store.LedgerAudit) error {
		there[audit.User] = true
		if progress != nil {
			progress(len(there))
		}
		group.Go(func() error {
			return c.read(ctx, "account "+string(audit.User), func(ctx context.Context) error { return c.checkAccount(ctx, s, audit) })
		})
		return ctx.Err()
	})
	// alone reads an account that AuditLedgers could not read, or did not find. AuditLedgers scans with eventual
	// consistency, so it may miss a new account.
	alone := func(user game.ID) {
		group.Go(func() error {
			return c.read(ctx, "account "+string(user), func(ctx context.Context) error {
				audit, err := s.AuditLedger(ctx, user)
				switch registered := which(of(c.byUser[user], Register), isDone); {
				case errors.Is(err, store.ErrUnknownUser) && len(registered) > 0:
					c.violation("no account", fmt.Sprintf("user %s has registered, and there is no such account", user), *registered[0])
					return nil
				case err != nil:
					return err
				}
				return c.checkAccount(ctx, s, audit)
			})
		})
	}
	if unread, is := errors.AsType[*store.UnreadError](err); is { // read each of them once more
		err = nil
		for _, user := range unread.Users {
			there[user] = true
			alone(user)
		}
	}
	c.report.Table.Accounts = len(there)
	for user, records := range c.byUser {
		if err == nil && !there[user] && len(which(of(records, Register), isDone)) > 0 {
			alone(user)
		}
	}
	return cmp.Or(group.Wait(), err) // an error of the group has also ended the audit
}

// checkAccount reports the differences that the audit has found, and compares the ledger with the user's records.
func (c *Checker) checkAccount(ctx context.Context, s *store.Store, audit store.LedgerAudit) error {
	for _, difference := range audit.Differences {
		c.violation("ledger", fmt.Sprintf("the ledger of %s: %s", audit.User, difference))
	}
	rows, err := s.Ledger(ctx, audit.User)
	if err == nil {
		c.checkLedger(audit.User, rows)
	}
	return err
}

func (c *Checker) checkShows(ctx context.Context, s *store.Store, progress func(done, total int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	done := 0
	for show, records := range c.byShow {
		group.Go(func() error {
			err := c.read(ctx, "show "+string(show), func(ctx context.Context) error { return c.checkStored(ctx, s, show, records) })
			if err == nil && progress != nil {
				c.mu.Lock()
				defer c.mu.Unlock()
				done++
				progress(done, len(c.byShow))
			}
			return err
		})
	}
	return group.Wait()
}

const (
	// takingEffect is the time after WrittenAt in a change's record by which the change has certainly taken effect.
	// Operators' tools repeat a change for 20 seconds, and the last attempt may arrive later.
	takingEffect = 30 * time.Second
	// operatorsSkew is the largest error of an operator's clock that the checker allows.
	operatorsSkew = 30 * time.Second
	// beforeTheLog is the time before the first record of the log from which the checker still considers bans.
	beforeTheLog = 31 * 24 * time.Hour
)

// addBans adds the bans, deletions and ends of bans from operators' records. If a record has WrittenAt, its change took
// effect within takingEffect after it. An old record lacks it: then the change took effect within store.Repeatable, in
// which an operator may repeat it. operatorsSkew extends both ranges.
func (c *Checker) addBans(ctx context.Context, s *store.Store) error {
	earliest := c.report.From.Add(-beforeTheLog)
	records, err := s.Audit(ctx, earliest.Add(-store.Repeatable), c.report.To.Add(operatorsSkew)+1)
	if err != nil {
		return err
	}
	for _, r := range records {
		user, is := r.User()
		kind := Kind(r.Action)
		if !is || kind != Unban && (kind != Ban && kind != DeleteUser || r.At < earliest) {
			continue
		}
		from, until := r.WrittenAt, r.WrittenAt.Add(takingEffect)
		if from == 0 {
			from, until = r.At, r.At.Add(store.Repeatable)
		}
		c.byUser[c.intern(user)] = append(c.byUser[user], &Record{
			Kind: kind, Outcome: Done, User: user, Began: from.Add(-operatorsSkew), Ended: until.Add(operatorsSkew),
		})
	}
	return nil
}
