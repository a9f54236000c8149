package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// keeper keeps the session in a store. If the store fails, memory keeps the session: a full disk must not end a game.
type keeper struct {
	store Store
	api   string

	mu       sync.Mutex
	held     *Session // what the store should have
	unloaded error    // the error of the store's last Load
	unsaved  error    // the error of the Update that failed to store held
}

// load returns the session, or nil if there is no session of this API. Its only error is that the context has ended.
func (k *keeper) load(ctx context.Context) (*Session, error) {
	stored, err := k.store.Load(ctx)
	if ctx.Err() != nil {
		return nil, givenUp(ctx.Err())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unloaded = err
	if err == nil && k.unsaved == nil {
		k.held = k.own(stored)
	}
	return copied(k.held), nil
}

// own returns a stored session if it belongs to this API, and nil otherwise.
func (k *keeper) own(stored *Session) *Session {
	if stored == nil || stored.API != k.api {
		return nil
	}
	return copied(stored)
}

// update changes the session as Store.Update does, even if the context has ended. If there is no session of this API,
// current is nil. The error is the store's. In any case, the client uses the changed session from then on.
func (k *keeper) update(ctx context.Context, change func(current *Session) *Session) error {
	asked, changed := false, false
	err := k.store.Update(context.WithoutCancel(ctx), func(stored *Session) *Session {
		asked = true
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.unsaved == nil {
			k.held = k.own(stored)
		}
		if changed = k.change(change); changed {
			return copied(k.held)
		}
		return stored
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if !asked {
		changed = k.change(change)
	}
	if changed {
		k.unsaved = err
	}
	return err
}

// change applies a change to held and reports whether it has replaced held. The caller holds mu.
func (k *keeper) change(change func(current *Session) *Session) bool {
	current := copied(k.held)
	next := change(current)
	if next == current {
		return false
	}
	k.held = copied(next)
	return true
}

// lock waits for the store's lock, at most for the given time. If the client does not get the lock, it goes on without,
// because two simultaneous refreshes do no harm. The only error is that the context has ended.
func (k *keeper) lock(ctx context.Context, longest time.Duration) (unlock func(), err error) {
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	unlock, err = k.store.Lock(limited)
	switch {
	case err == nil:
		return unlock, nil
	case ctx.Err() != nil:
		return nil, givenUp(ctx.Err())
	}
	return func() {}, nil
}

// failure returns the errors of the store's last Load and Update, or nil.
func (k *keeper) failure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unloaded == nil && k.unsaved == nil {
		return nil
	}
	return fmt.Errorf("the session could not be kept: %w", errors.Join(k.unloaded, k.unsaved))
}
