package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// keeper keeps the session in a store, and goes on with what it knows itself where that fails: a full disk must not
// keep a player from playing.
type keeper struct {
	store Store
	api   string

	mu       sync.Mutex
	held     *Session // what the store ought to hold
	unloaded error    // why the store could not be asked last
	unsaved  error    // why the store does not hold it
}

// load returns the session, nil where there is none of this API. The error is that of a context that has ended.
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

// own is a stored session if it is one of this API, else nil.
func (k *keeper) own(stored *Session) *Session {
	if stored == nil || stored.API != k.api {
		return nil
	}
	return copied(stored)
}

// update changes the session as Store.Update does, also if the context has ended; current is nil where there is none of
// this API. The error is the store's: the client itself goes by the change in any case.
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

// change changes what is held, and says whether it is another now. It is called with mu held.
func (k *keeper) change(change func(current *Session) *Session) bool {
	current := copied(k.held)
	next := change(current)
	if next == current {
		return false
	}
	k.held = copied(next)
	return true
}

// lock waits for the store's lock, as long as that is worth it. A store that has none to give by then is used without:
// nothing breaks if two refresh. The error is that of a context that has ended.
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

// failure is what is wrong with the store, nil where it works.
func (k *keeper) failure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unloaded == nil && k.unsaved == nil {
		return nil
	}
	return fmt.Errorf("the session could not be kept: %w", errors.Join(k.unloaded, k.unsaved))
}
