package upkeep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// LedgerAudit is the result of auditing one account's ledger.
type LedgerAudit struct {
	User        game.ID
	Balance     int64
	Rows        int
	Differences []string // a sentence for each; empty if the ledger is right
}

func newLedgerAudit(user game.Account, rows []game.LedgerEntry) LedgerAudit {
	return LedgerAudit{user.ID, user.GoldBalance, len(rows), game.AuditLedger(user, rows)}
}

// auditLooks is how often AuditLedger compares an account with its rows before it reports a difference: gold may move
// between its two reads, or a transaction may not be visible as a whole yet.
const auditLooks = 5

// AuditLedger compares an account's balance with its ledger, by strongly consistent reads. It returns ErrUnknownUser if
// there is no account. Two round trips: 1 RCU for the account and 1 for about 14 rows. If account and ledger differ,
// AuditLedger reads both again, up to four times, 0.3 s apart.
func (a Auditor) AuditLedger(ctx context.Context, user game.ID) (audit LedgerAudit, err error) {
	_, err = table.Settled(ctx, auditLooks, func() (bool, error) {
		account, err := a.Account(ctx, user)
		if err == nil && account == nil {
			err = store.ErrUnknownUser
		}
		if err != nil {
			return false, err
		}
		rows, err := a.Ledger(ctx, user)
		if err != nil {
			return false, err
		}
		audit = newLedgerAudit(*account, rows)
		return len(audit.Differences) == 0, nil
	})
	return audit, err
}

// ledgerPatience is the longest time that AuditLedgers spends on reading one account again.
const ledgerPatience = time.Minute

// UnreadError means that AuditLedgers could not read the ledgers of these users. It has audited all others.
type UnreadError struct {
	Users []game.ID
	Err   error // for the last of Users
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%d ledgers could not be read, the last is that of %s: %v", len(e.Users), e.Users[len(e.Users)-1], e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// AuditLedgers audits the ledger of every account and calls visit with each result, right or not, one call at a time
// and in no particular order. If visit returns an error, AuditLedgers stops and returns it; if ctx ends, it returns
// ctx's error. If it cannot read some accounts, it goes on, and returns them in an UnreadError at the end.
//
// It scans the whole table once by eventually consistent reads: half an RCU for every 4 KB. The scan reads an account
// and its rows at slightly different times. So if they seem to differ, AuditLedgers uses the result of AuditLedger
// instead. If DynamoDB has split a user's partition, the account and its rows are not adjacent, and visit may get the
// account twice. Rows without an account are a difference, too, since deleted users keep their accounts.
func (a Auditor) AuditLedgers(ctx context.Context, visit func(LedgerAudit) error) error {
	return a.auditRows(ctx, nil, visit)
}

// auditRows does what AuditLedgers does, and passes all items that the scan finds to notes, which may be nil.
func (a Auditor) auditRows(ctx context.Context, notes *auditNotes, visit func(LedgerAudit) error) error {
	var mu sync.Mutex
	var unread UnreadError
	oneAtATime := func(audit LedgerAudit) error {
		mu.Lock()
		defer mu.Unlock()
		return visit(audit)
	}
	filter := table.Filter{
		Items: records.AccountsAndLedgers(), Projection: records.ProjectAudit,
	}
	if notes != nil {
		notes.ask(&filter)
	}
	audit := func(ctx context.Context, found userRecords) error {
		err := a.auditFound(ctx, found, oneAtATime)
		var cannot *UnreadError
		if errors.As(err, &cannot) {
			mu.Lock()
			defer mu.Unlock()
			unread.Users, unread.Err = append(unread.Users, cannot.Users...), cannot.Err
			return nil
		}
		return err
	}
	err := a.Table.Scan(ctx, filter, func(ctx context.Context, each func(func([]table.Attributes) error) error) error {
		var found userRecords
		err := each(func(rows []table.Attributes) error {
			for _, av := range rows {
				k, err := table.Unmarshal[table.Key](av)
				if err != nil {
					return err
				}
				notes.add(*k, av)
				if !strings.HasPrefix(string(k.PK), string(records.UserPK(""))) {
					continue
				}
				if k.PK != found.PK {
					if err := audit(ctx, found); err != nil {
						return err
					}
					found = userRecords{PK: k.PK}
				}
				found.add(k.SK, av)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return audit(ctx, found)
	})
	if err == nil && len(unread.Users) > 0 {
		return &unread
	}
	return err
}

// auditFound audits the records that a scan has found of one user, if there are any. If they do not add up or cannot be
// decoded, it uses the result of AuditLedger. If that fails before ctx ends, it returns an UnreadError.
func (a Auditor) auditFound(ctx context.Context, found userRecords, visit func(LedgerAudit) error) error {
	if found.PK == "" {
		return nil
	}
	if found.account != nil && !found.damaged {
		if audit := newLedgerAudit(*found.account, store.SortedLedger(found.rows)); len(audit.Differences) == 0 {
			return visit(audit)
		}
	}
	user := records.IdIn(table.SK(found.PK))
	bounded, cancel := context.WithTimeout(ctx, ledgerPatience)
	defer cancel()
	audit, err := a.AuditLedger(bounded, user)
	if errors.Is(err, store.ErrUnknownUser) { // or the user has just registered, and the account is not visible yet
		if err := table.Pause(ctx, table.Settling); err != nil {
			return err
		}
		audit, err = a.AuditLedger(bounded, user)
	}
	switch {
	case errors.Is(err, store.ErrUnknownUser):
		audit = LedgerAudit{User: user, Rows: len(found.rows), Differences: []string{"there are rows and no account"}}
	case errors.Is(err, table.ErrDamaged):
		audit = LedgerAudit{User: user, Rows: len(found.rows), Differences: []string{err.Error()}}
	case ctx.Err() != nil:
		return err
	case err != nil:
		return &UnreadError{[]game.ID{user}, err}
	}
	return visit(audit)
}

// userRecords holds the records of one user that a scan has found. If PK is "", it holds none.
type userRecords struct {
	PK      table.PK
	account *game.Account // nil: missing or damaged
	rows    []game.LedgerEntry
	damaged bool // there are other rows, which cannot be decoded
}

// add adds the user's next record. It ignores records that are neither the account nor a ledger row.
func (r *userRecords) add(k table.SK, av table.Attributes) {
	if k == records.UserKey("").SK {
		if item, err := table.Unmarshal[records.UserItem](av); err == nil {
			r.account = item.Account()
		}
		return
	}
	row, is, err := store.LedgerRow(k, av)
	if is {
		r.rows = append(r.rows, row)
	}
	r.damaged = r.damaged || err != nil
}
