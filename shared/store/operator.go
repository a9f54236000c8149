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

// Operator makes changes that operators make, and no player. Each of them leaves a record, in the transaction that
// makes the change: there is neither without the other. The record follows the one before it in a chain.
//
// A change is made once under its id. Whoever does not know whether it was made (ErrUnclear) makes it again under the
// same id: where it was, nothing happens.
type Operator struct {
	store  *Store
	change Change
	same   func(*auditItem) bool // whether a record of this action and subject is that of the change; nil: it is
}

// Change names a change, and says who makes it, when and why.
type Change struct {
	ID     game.ID // of NewChange
	By     string  // who: an AWS identity, or a user of this machine
	At     game.Instant
	Reason string // "" where none was given
}

// NewChange returns a change under a new id, which sorts by its instant.
func NewChange(by, reason string, at game.Instant) Change {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at))
	id := uuid.New() // and a UUID of version 7 by its first 48 bits
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	return Change{ID: game.ID(id.String()), By: by, At: at, Reason: reason}
}

// ParseChange returns the change under an id of NewChange's, to be made again: with the id's instant, and without who
// makes it and why. ok is false for any other text.
func ParseChange(text string) (c Change, ok bool) {
	id, ok := game.ParseID(text)
	if !ok || uuid.MustParse(string(id)).Version() != 7 {
		return Change{}, false
	}
	return Change{ID: id, At: begun(id)}, true
}

// Part returns the change of a part of c, such as a line of a file: by the same operator, at the same time and for the
// same reason. Its id follows from c's and the name, so that a repetition of c makes each part once.
func (c Change) Part(name string) Change {
	was := uuid.MustParse(string(c.ID))
	id := uuid.NewSHA1(was, []byte(name))
	copy(id[:7], was[:7]) // the instant, and the version
	c.ID = game.ID(id.String())
	return c
}

// Operator returns whoever makes the change.
func (s *Store) Operator(c Change) Operator { return Operator{store: s, change: c} }

var (
	// ErrUnclear means that a change may have been made, or may yet be, although it failed: making it again under its
	// id is safe.
	ErrUnclear = errors.New("it is not known whether the change was made")
	// ErrOtherChange means that the id is that of another change.
	ErrOtherChange = errors.New("the id is that of another change")
)

// Repeatable is how long a change may be made again under its id: records stand by when their changes were begun, and
// one that appears long after that would be looked for by nobody. Whoever makes changes again keeps to it.
const Repeatable = 7 * 24 * time.Hour

// lookPatience is for the look at what became of a change that failed.
const lookPatience = 3 * time.Second

// make makes a change whose transaction try fills in, from what it reads; try also returns what the change is about as
// it was before and as it will be, for the record. Where something has come in between (errStale), it reads again.
// Where the change has been made before under this id, make returns nil without a call of try.
//
// While no attempt is in doubt, an error is the answer: a refusal, a conflict and a throttled request have written
// nothing. After one that is in doubt, no answer to another one tells what became of it, nor does a refusal: only the
// record does, and where that is not there, make returns ErrUnclear.
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

// made reports whether the change has been made, once all of it can be seen, and else the end of the chain of records.
// It returns ErrOtherChange if another change has been made under its id. What another change is, its action and its
// subject say, and o.same if the change does not depend on what was there.
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

// becomeVisible waits until all of a change can be seen of which something has been.
func becomeVisible(ctx context.Context) error {
	if err := pause(ctx, settling); err != nil {
		return fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return nil
}
