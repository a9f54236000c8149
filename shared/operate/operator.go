package operate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// Operator makes one change that only operators may make. The transaction of the change also writes its audit record,
// so neither exists without the other. The records form a hash chain. Refund writes ledger rows and no record.
//
// A change takes effect once under its id. If a call returns ErrUnclear, the caller repeats the change under the same
// id. If the first call has made the change, the second call does not make it again.
type Operator struct {
	desk   Desk
	change Change
	same   func(*records.AuditItem) bool // whether a record with the same id, action and subject is of this change; nil: always
}

// Change identifies an operator's change. Its other fields are for the audit record.
type Change struct {
	ID     game.ID      // of NewChange or Part
	By     string       // the operator: an AWS identity, or a user of this machine
	At     game.Instant // when the change was begun
	Reason string       // "" if the operator gave none
}

// NewChange returns a change with a new id. Sorting the ids of changes sorts the changes by At.
func NewChange(by, reason string, at game.Instant) Change {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at))
	id := uuid.New() // random; with the instant in its first 48 bits it becomes a UUID of version 7
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	return Change{ID: game.ID(id.String()), By: by, At: at, Reason: reason}
}

// ParseChange returns the change with this id, so that it can be repeated. At is the instant in the id; By and Reason
// are empty. ok is false if the text is not a UUID of version 7, as the ids of changes are.
func ParseChange(text string) (c Change, ok bool) {
	id, ok := game.ParseID(text)
	if !ok || uuid.MustParse(string(id)).Version() != 7 {
		return Change{}, false
	}
	return Change{ID: id, At: records.Begun(id)}, true
}

// Part returns a change for a part of c, such as a line of a file. The part has the By, At and Reason of c. Its id is
// computed from c's id and the name, so the same part always has the same id, and repeating c makes each part once.
func (c Change) Part(name string) Change {
	was := uuid.MustParse(string(c.ID))
	id := uuid.NewSHA1(was, []byte(name))
	copy(id[:7], was[:7]) // the instant, and the version
	c.ID = game.ID(id.String())
	return c
}

// Desk is where operators change and read the table. It also has the methods of players.
type Desk struct {
	upkeep.Auditor
	table *table.Table
}

// Open returns the desk of a store.
func Open(s *store.Store) Desk { return Desk{upkeep.Auditor{Store: s}, s.Table} }

// Operator returns an Operator that makes this change.
func (d Desk) Operator(c Change) Operator { return Operator{desk: d, change: c} }

var (
	// ErrUnclear means that the call failed, but may have made the change, or still may. Repeat it under the same id.
	ErrUnclear = errors.New("it is not known whether the change was made")
	// ErrOtherChange means that another change has this id.
	ErrOtherChange = errors.New("another change has this id")
)

// Refusals of changes.
var (
	ErrUnknownSeason = errors.New("there is no such season")
	ErrDeletedUser   = errors.New("the user has been deleted")
	ErrUnknownRow    = errors.New("the user's ledger has no such row")
	ErrExists        = errors.New("the id is already in use")
)

// Repeatable is how long after its start a change may be repeated under its id. Records sort by the start of changes,
// so a reader would miss a record that appears long after that. The callers of this package enforce the limit.
const Repeatable = 7 * 24 * time.Hour

// lookPatience is the longest time for the read that finds out whether a failed change was made.
const lookPatience = 3 * time.Second

// make makes a change, and returns nil if the change was made before under its id. try reads the table, fills in the
// transaction, and returns the states before and after the change. If another write comes in between, try runs again.
//
// A refusal, a conflict and a throttled request have written nothing, so make returns their errors unchanged. An
// attempt whose answer was lost is in doubt: it may have been applied, or may still be. The error of a later attempt
// does not show which. So make then reads the change's record, and returns nil if it exists, and ErrUnclear otherwise.
func (o Operator) make(ctx context.Context, action, subject string, try func(ctx context.Context, t *table.Transaction) (before, after any, err error)) error {
	unclear := false
	err := o.desk.table.Decide(ctx, action, func(ctx context.Context) error {
		made, head, err := o.made(ctx, action, subject)
		if made || err != nil {
			return err
		}
		t := o.desk.table.Begin()
		before, after, err := try(ctx, t)
		if err != nil {
			return err
		}
		record, err := newAuditItem(o.change, game.InstantOf(o.desk.Clock()), action, subject, before, after)
		if err != nil {
			return err
		}
		chain(t, record, head)
		err = t.Commit(ctx)
		unclear = unclear || t.InDoubt()
		return err
	})
	if err == nil || !unclear {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookPatience)
	defer cancel()
	if made, _, lookErr := o.made(ctx, action, subject); lookErr == nil && made {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnclear, err)
}

// made reports whether the change's record exists. If so, it returns after 0.3 s, when all of the change is visible. If
// not, it also returns the head of the chain of records. It returns ErrOtherChange if the record is of another change:
// it has another action or subject, or o.same rejects it.
func (o Operator) made(ctx context.Context, action, subject string) (made bool, head AuditHead, err error) {
	found, err := o.desk.table.BatchGet(ctx, "", records.AuditKey(o.change.ID), records.AuditHeadKey())
	if err != nil {
		return false, head, err
	}
	record, recordErr := table.In[records.AuditItem](found, records.AuditKey(o.change.ID))
	last, headErr := table.In[records.AuditHeadItem](found, records.AuditHeadKey())
	switch {
	case recordErr != nil || headErr != nil:
		return false, head, errors.Join(recordErr, headErr)
	case record == nil:
		return false, headOf(last), nil
	case record.Action != action || record.Subject != subject || o.same != nil && !o.same(record):
		return true, head, fmt.Errorf("%w: %s %s", ErrOtherChange, record.Action, record.Subject)
	}
	return true, head, becomeVisible(ctx)
}

// becomeVisible waits until all of a change is visible, after a part of it was. If ctx ends, it returns ErrUnclear.
func becomeVisible(ctx context.Context) error {
	if err := table.Pause(ctx, table.Settling); err != nil {
		return fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return nil
}
