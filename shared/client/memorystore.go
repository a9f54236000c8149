package client

import (
	"context"
	"sync"
)

// MemoryStore keeps a session as long as the process lives. The zero value is empty; clients that share a pointer share
// the session.
type MemoryStore struct {
	mu      sync.Mutex
	session *Session
	lock    chan struct{} // has room for the one who holds the lock
}

// Load implements Store.
func (m *MemoryStore) Load(context.Context) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copied(m.session), nil
}

// Update implements Store.
func (m *MemoryStore) Update(_ context.Context, change func(current *Session) *Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session = copied(change(copied(m.session)))
	return nil
}

// Lock implements Store.
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
