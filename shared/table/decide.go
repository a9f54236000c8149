package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/tally"
)

var (
	// ErrStale means that a record has changed between the read and the write.
	ErrStale = errors.New("changed since it was read")
	// ErrAgain means that the caller must read again for another reason, which an error that wraps it names.
	ErrAgain = errors.New("read again")
	// ErrHeld is an ErrAgain: other transactions kept the items busy, or throttling did (see GetSettled).
	ErrHeld = fmt.Errorf("transaction conflict: %w", ErrAgain)
)

// Torn is an error for records that are missing or contradict each other. Packages that know the records implement it,
// by comparable types.
type Torn interface {
	error
	Torn()
}

// tornFor is how long records may contradict each other. An applied transaction becomes visible much faster.
const tornFor = 4 * time.Second

// Decide runs try until it has decided. try reads, applies the rules, and writes under conditions on what it has read.
// If try returns ErrStale or ErrAgain, Decide waits and runs try again. It returns any other error, or nil, as it is. It
// gives up at the context's deadline, and if try has returned the same Torn for tornFor. The requests of try are
// patient. The operation's name is for errors.
func (t *Table) Decide(ctx context.Context, operation string, try func(ctx context.Context) error) error {
	ctx = Patiently(ctx)
	var torn Torn
	var since time.Time
	for attempt := 1; ; attempt++ {
		err := try(ctx)
		if found, _ := errors.AsType[Torn](err); found != torn || found == nil {
			torn, since = found, time.Now()
		} else if time.Since(since) > tornFor {
			return fmt.Errorf("%s: %w", operation, torn)
		}
		switch {
		case errors.Is(err, ErrStale):
			tally.Add(ctx, tally.Conflicts, 1)
		case errors.Is(err, ErrAgain):
		default:
			return err
		}
		if err := t.Backoff(ctx, attempt); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

// Settling is more than an applied transaction needs to become visible as a whole.
const Settling = 300 * time.Millisecond

// Settled calls look until it reports complete, at most looks times. In between it waits for Settling, so that a
// transaction becomes visible as a whole. It reports whether the last look was complete.
func Settled(ctx context.Context, looks int, look func() (complete bool, err error)) (bool, error) {
	for n := 1; ; n++ {
		complete, err := look()
		if err != nil || complete || n == looks {
			return complete, err
		}
		if err := Pause(ctx, Settling); err != nil {
			return false, err
		}
	}
}
