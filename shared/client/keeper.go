package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
		k.held = nil
		if stored != nil && stored.API == k.api {
			k.held = copied(stored)
		}
	}
	return copied(k.held), nil
}

// save keeps the session, nil removes it; it does so also if the context has ended. The error is the store's: the
// client itself goes by what was saved in any case.
func (k *keeper) save(ctx context.Context, s *Session) error {
	err := k.store.Save(context.WithoutCancel(ctx), s)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held, k.unsaved = copied(s), err
	return err
}

// lock waits for the store's lock. A store that has none to give is used without. The error is that of a context that
// has ended.
func (k *keeper) lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = k.store.Lock(ctx)
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
