package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// Operator makes the changes that only operators may make. The transaction of each change also writes its record, so
// that neither exists without the other. The records form a chain: each one follows the one before it.
//
// A change is idempotent: it happens once under its id. If a call returns ErrUnclear, the caller repeats the change
// under the same id. If the first call has made it, the second one changes nothing.
type Operator struct {
	store  *Store
	change Change
	same   func(*auditItem) bool // whether a record with this action and subject records this change; nil: always
}

// Change names an operator's change, and says who makes it, when and why.
type Change struct {
	ID     game.ID // of NewChange
	By     string  // who: an AWS identity, or a user of this machine
	At     game.Instant
	Reason string // "" if none was given
}

// NewChange returns a change with a new id. The ids of changes sort by their instants.
func NewChange(by, reason string, at game.Instant) Change {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at))
	id := uuid.New() // and a UUID of version 7 by its first 48 bits
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	return Change{ID: game.ID(id.String()), By: by, At: at, Reason: reason}
}

// ParseChange returns the change that has this id of NewChange, so that it can be repeated. The change has the id's
// instant, and neither By nor Reason. ok is false for any other text.
func ParseChange(text string) (c Change, ok bool) {
	id, ok := game.ParseID(text)
	if !ok || uuid.MustParse(string(id)).Version() != 7 {
		return Change{}, false
	}
	return Change{ID: id, At: begun(id)}, true
}

// Part returns the change for a part of c, such as a line of a file. It has the same operator, instant and reason. Its
// id is computed from c's id and the name, so that repeating c makes each part only once.
func (c Change) Part(name string) Change {
	was := uuid.MustParse(string(c.ID))
	id := uuid.NewSHA1(was, []byte(name))
	copy(id[:7], was[:7]) // the instant, and the version
	c.ID = game.ID(id.String())
	return c
}

// Operator returns an Operator that makes this change.
func (s *Store) Operator(c Change) Operator { return Operator{store: s, change: c} }

var (
	// ErrUnclear means that the call failed, but the change may have been made or may still be. The caller can safely
	// repeat it under its id.
	ErrUnclear = errors.New("it is not known whether the change was made")
	// ErrOtherChange means that another change has this id.
	ErrOtherChange = errors.New("another change has this id")
)

// Repeatable is how long after its start a change may be repeated under its id. Records sort by the start of their
// changes, and a reader would miss one that appears long after that. Package store does not enforce this: its callers
// do.
const Repeatable = 7 * 24 * time.Hour

// lookPatience bounds the look-up that finds out whether a failed change was made.
const lookPatience = 3 * time.Second

// make makes a change. try reads the table and fills in the transaction. It also returns the state before and after the
// change, for the record. If another write comes in between (errStale), make calls try again. If the change was made
// before under this id, make returns nil without calling try.
//
// A refusal, a conflict and a throttled request have written nothing, so make returns them as they are. An attempt
// whose answer was lost is in doubt. No answer to a later attempt shows whether the lost one was applied; only the
// record does. If there is no record, make returns ErrUnclear.
func (o Operator) make(ctx context.Context, action, subject string, try func(ctx context.Context, t *transaction) (before, after any, err error)) error {
	unclear := false
	err := o.store.decide(ctx, action, func(ctx context.Context) error {
		made, head, err := o.made(ctx, action, subject)
		if made || err != nil {
			return err
		}
		t := o.store.begin()
		before, after, err := try(ctx, t)
		if err != nil {
			return err
		}
		record, err := newAuditItem(o.change, game.InstantOf(o.store.clock()), action, subject, before, after)
		if err != nil {
			return err
		}
		t.chain(record, head)
		err = o.store.commit(ctx, t)
		unclear = unclear || t.doubt
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

// made reports whether the change has been made. If so, it returns once all of the change is visible. If not, it also
// returns the head of the chain of records. It returns ErrOtherChange if another change has this id: one with another
// action or subject, or one that o.same rejects.
func (o Operator) made(ctx context.Context, action, subject string) (made bool, head AuditHead, err error) {
	found, err := o.store.batchGet(ctx, "", auditKey(o.change.ID), auditHeadKey())
	if err != nil {
		return false, head, err
	}
	record, recordErr := in[auditItem](found, auditKey(o.change.ID))
	last, headErr := in[auditHeadItem](found, auditHeadKey())
	switch {
	case recordErr != nil || headErr != nil:
		return false, head, errors.Join(recordErr, headErr)
	case record == nil:
		return false, last.head(), nil
	case record.Action != action || record.Subject != subject || o.same != nil && !o.same(record):
		return true, head, fmt.Errorf("%w: %s %s", ErrOtherChange, record.Action, record.Subject)
	}
	return true, head, becomeVisible(ctx)
}

// becomeVisible waits until all of a change is visible, after a part of it was.
func becomeVisible(ctx context.Context) error {
	if err := pause(ctx, settling); err != nil {
		return fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return nil
}
