package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/shared/game"
)

// LedgerAudit is what the audit of one account's ledger has found.
type LedgerAudit struct {
	User        game.ID
	Balance     int64
	Rows        int
	Differences []string // of game.AuditLedger; none where the ledger is right
}

func newLedgerAudit(user game.Account, rows []game.LedgerEntry) LedgerAudit {
	return LedgerAudit{user.ID, user.GoldBalance, len(rows), game.AuditLedger(user, rows)}
}

// auditLooks is how often an account and its rows are compared before a difference between them counts: gold may move
// between the two reads, or be becoming visible.
const auditLooks = 5

// AuditLedger compares an account's balance with its ledger, by strongly consistent reads. It returns ErrUnknownUser
// where there is no account. Two round trips, 1 RCU for the account and 1 for about 14 rows; where they differ up to
// five times, 0.3 s apart.
func (s *Store) AuditLedger(ctx context.Context, user game.ID) (LedgerAudit, error) {
	for look := 1; ; look++ {
		account, err := s.Account(ctx, user)
		if err != nil {
			return LedgerAudit{}, err
		}
		if account == nil {
			return LedgerAudit{}, ErrUnknownUser
		}
		rows, err := s.Ledger(ctx, user)
		if err != nil {
			return LedgerAudit{}, err
		}
		audit := newLedgerAudit(*account, rows)
		if len(audit.Differences) == 0 || look == auditLooks {
			return audit, nil
		}
		if err := pause(ctx, settling); err != nil {
			return LedgerAudit{}, fmt.Errorf("audit the ledger: %w", err)
		}
	}
}

// ledgerPatience is how long one account may keep AuditLedgers.
const ledgerPatience = time.Minute

// UnreadError means that AuditLedgers could not read the ledgers of some users, and has audited all others.
type UnreadError struct {
	Users []game.ID
	Err   error // of the first
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%d ledgers could not be read, first that of %s: %v", len(e.Users), e.Users[0], e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// AuditLedgers audits the ledger of every account once and calls visit with what it finds, right or not, one at a time
// and in no particular order. An error of visit ends it, and is returned; so is the end of ctx, with what has been
// visited until then. An account that cannot be read within a minute does not end it: it is in an UnreadError.
//
// It reads the whole table once by eventually consistent reads, half an RCU for every 4 KB there are, in which an
// account and its rows stand together. They are of slightly different times, and a partition that DynamoDB has split
// may show them in two places: an account that seems to differ is audited by AuditLedger, which decides. Rows without
// an account are a difference, too, since a deleted user keeps theirs.
func (s *Store) AuditLedgers(ctx context.Context, visit func(LedgerAudit) error) error {
	return s.auditRows(ctx, nil, visit)
}

// auditRows audits the ledgers, and lets notes, if there are any, note the other rows that they are about.
func (s *Store) auditRows(ctx context.Context, notes *auditNotes, visit func(LedgerAudit) error) error {
	var mu sync.Mutex
	var unread UnreadError
	oneAtATime := func(audit LedgerAudit) error {
		mu.Lock()
		defer mu.Unlock()
		return visit(audit)
	}
	request := dynamodb.ScanInput{
		FilterExpression:          aws.String("begins_with(PK, :user) AND NOT begins_with(SK, :animal)"),
		ProjectionExpression:      aws.String("PK, SK, g, ls, seq, am, ba, fe.seq, fe.am, fe.ba, st, vd"),
		ExpressionAttributeValues: attributes{":user": str(string(userPK(""))), ":animal": str(string(animalPrefix))},
	}
	if notes != nil {
		notes.ask(&request)
	}
	audit := func(ctx context.Context, found userRecords) error {
		err := s.auditFound(ctx, found, oneAtATime)
		var cannot *UnreadError
		if errors.As(err, &cannot) {
			mu.Lock()
			defer mu.Unlock()
			unread.Users, unread.Err = append(unread.Users, cannot.Users...), cmp.Or(unread.Err, cannot.Err)
			return nil
		}
		return err
	}
	err := s.scan(ctx, request, func(ctx context.Context, each func(func(Rows) error) error) error {
		var found userRecords
		err := each(func(rows Rows) error {
			for _, av := range rows {
				k, err := unmarshal[key](av)
				if err != nil {
					return err
				}
				notes.add(*k, av)
				if !strings.HasPrefix(string(k.PK), string(userPK(""))) {
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

// auditFound audits what was found of one user, if anything was. If that does not add up, or cannot be read, it is read
// again by itself; it returns an UnreadError if that fails.
func (s *Store) auditFound(ctx context.Context, found userRecords, visit func(LedgerAudit) error) error {
	if found.PK == "" {
		return nil
	}
	if found.account != nil && !found.damaged {
		if audit := newLedgerAudit(*found.account, sortedLedger(found.rows)); len(audit.Differences) == 0 {
			return visit(audit)
		}
	}
	user := idIn(sk(found.PK))
	bounded, cancel := context.WithTimeout(ctx, ledgerPatience)
	defer cancel()
	audit, err := s.AuditLedger(bounded, user)
	if errors.Is(err, ErrUnknownUser) { // or it has just registered, and is becoming visible
		if err := pause(ctx, settling); err != nil {
			return err
		}
		audit, err = s.AuditLedger(bounded, user)
	}
	switch {
	case errors.Is(err, ErrUnknownUser):
		audit = LedgerAudit{User: user, Rows: len(found.rows), Differences: []string{"there are rows and no account"}}
	case errors.Is(err, errDamaged):
		audit = LedgerAudit{User: user, Rows: len(found.rows), Differences: []string{err.Error()}}
	case ctx.Err() != nil:
		return err
	case err != nil:
		return &UnreadError{[]game.ID{user}, err}
	}
	return visit(audit)
}

// userRecords are those of one user that an audit has come by; none where there is no key.
type userRecords struct {
	PK      pk
	account *game.Account // nil: not there, or damaged
	rows    []game.LedgerEntry
	damaged bool // there are more, which cannot be read
}

// add takes the user's next record, and leaves out what has no gold in it.
func (r *userRecords) add(k sk, av attributes) {
	if k == userKey("").SK {
		if item, err := unmarshal[userItem](av); err == nil {
			r.account = item.account()
		}
		return
	}
	row, is, err := ledgerRow(k, av)
	if is {
		r.rows = append(r.rows, row)
	}
	r.damaged = r.damaged || err != nil
}
