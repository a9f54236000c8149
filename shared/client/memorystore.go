package client

import (
	"context"
	"sync"
)

// MemoryStore is a Store that keeps the session until the process ends. The zero value is empty. Clients with the same
// *MemoryStore share the session.
type MemoryStore struct {
	mu      sync.Mutex
	session *Session
	lock    chan struct{} // has one element while the lock is held
}

// Load returns the session, or nil if the store is empty. It never fails.
func (m *MemoryStore) Load(context.Context) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copied(m.session), nil
}

// Update replaces the session by the result of change. It never fails.
func (m *MemoryStore) Update(_ context.Context, change func(current *Session) *Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session = copied(change(copied(m.session)))
	return nil
}

// Lock waits until no other client holds the lock. The error is the context's.
func (m *MemoryStore) Lock(ctx context.Context) (unlock func(), err error) {
	m.mu.Lock()
	if m.lock == nil {
		m.lock = make(chan struct{}, 1)
	}
	lock := m.lock
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func copied(s *Session) *Session {
	if s == nil {
		return nil
	}
	same := *s
	return &same
}
