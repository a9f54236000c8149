package token

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// MaxAge is the longest time that a process uses keys before a request reads them again. So a process that serves a
	// request MaxAge after a change of the secret knows the change, unless the read fails.
	MaxAge = 5 * time.Minute
	// Lead is the time that a new key should be in the secret before it signs. Every process then knows the new key,
	// even if clocks differ by up to five minutes.
	Lead = 2 * MaxAge
	// ReadingPause is the shortest pause after a failed read of the keys. It is also the shortest time between two
	// reads because of tokens whose key is unknown.
	ReadingPause = 30 * time.Second
)

// Ring holds keys, and reads them again when they are old or when a token has an unknown key id. It is safe for
// concurrent use.
//
// Ring reads the keys within a request, and never twice at the same time. Two kinds of requests wait for a read: the
// request that starts the read, and requests whose token has an unknown key id. After a failed read, the ring keeps its
// keys. The caller of each method provides the current time.
type Ring struct {
	read   func() (*Keys, error)
	maxAge time.Duration

	mu      sync.Mutex
	keys    *Keys
	readAt  game.Instant  // when the last read began
	goodFor time.Duration // after readAt
	askedAt game.Instant  // when the last read for a token with an unknown key began
	reading chan struct{} // closed at the end of the current read; nil if none is under way
	failure error         // of the last read; nil if it succeeded
}

// NewRing returns a ring of keys that were read at readAt. The ring calls read when its keys are older than maxAge. If
// readAt is the zero time, the next request calls read. The function read must limit its own time.
func NewRing(keys *Keys, readAt time.Time, maxAge time.Duration, read func() (*Keys, error)) *Ring {
	return &Ring{read: read, maxAge: maxAge, keys: keys, readAt: game.InstantOf(readAt), goodFor: maxAge}
}

// IssueAccess returns what Keys.IssueAccess returns with the newest keys of the ring.
func (r *Ring) IssueAccess(u game.User, now game.Instant) (string, error) {
	keys, _ := r.at(now)
	return keys.IssueAccess(u, now)
}

// IssueRefresh returns what Keys.IssueRefresh returns with the newest keys of the ring.
func (r *Ring) IssueRefresh(user game.ID, now game.Instant) (token string, record game.RefreshRecord, err error) {
	keys, _ := r.at(now)
	return keys.IssueRefresh(user, now)
}

// IssueSession returns what Keys.IssueSession returns with the newest keys of the ring.
func (r *Ring) IssueSession(u game.User, now game.Instant) (Session, error) {
	keys, _ := r.at(now)
	return keys.IssueSession(u, now)
}

// VerifyAccess returns what Keys.VerifyAccess returns with the newest keys of the ring. If the ring has no keys because
// its last read failed, a token with a key id gets the error of that read instead of ErrInvalid.
func (r *Ring) VerifyAccess(token string, now game.Instant) (Caller, error) {
	return verified(r, now, func(k *Keys) (Caller, error) { return k.VerifyAccess(token, now) })
}

// VerifyRefresh returns what Keys.VerifyRefresh returns with the newest keys of the ring. If the ring has no keys
// because its last read failed, a token with a key id gets the error of that read instead of ErrInvalid.
func (r *Ring) VerifyRefresh(token string, now game.Instant) (game.ID, error) {
	return verified(r, now, func(k *Keys) (game.ID, error) { return k.VerifyRefresh(token, now) })
}

// verified calls verify with the ring's keys. If the token's key id is unknown, verified gets newer keys, if there are
// any, and calls verify again. If the ring then has no keys because its last read failed, nothing is known about the
// token: verified returns the error of that read.
func verified[V any](r *Ring, now game.Instant, verify func(*Keys) (V, error)) (V, error) {
	keys, fresh := r.at(now)
	v, err := verify(keys)
	if !fresh && errors.Is(err, errUnknownKey) {
		if others := r.besides(keys, now); others != keys {
			v, err = verify(others)
		}
	}
	if errors.Is(err, errUnknownKey) {
		err = cmp.Or(r.unread(), err)
	}
	return v, err
}

// unread returns the error of the last read if the ring has no keys. It returns nil if the ring has keys, or if the
// last read succeeded but found none.
func (r *Ring) unread() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys.keys) > 0 {
		return nil
	}
	return r.failure
}

// at returns the keys to use at now. If the ring's keys are too old, at tries to read them again, and fresh is true.
func (r *Ring) at(now game.Instant) (keys *Keys, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading != nil || apart(now, r.readAt) < r.goodFor {
		return r.keys, false
	}
	return r.readAgain(now), true
}

// besides returns newer keys than the given keys, if it can get them, and otherwise the given keys. If a read is under
// way, besides waits for it. If the ring has newer keys already, it returns those. Otherwise it starts a read, unless
// the last read for an unknown key began less than ReadingPause ago. A ring without keys does not wait for
// ReadingPause: a new service has no keys at first, and invalid tokens must not delay the first valid token.
func (r *Ring) besides(keys *Keys, now game.Instant) *Keys {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done := r.reading; done != nil {
		r.mu.Unlock()
		<-done
		r.mu.Lock()
		return r.keys
	}
	if r.keys != keys || len(keys.keys) > 0 && apart(now, r.askedAt) < ReadingPause {
		return r.keys
	}
	r.askedAt = now
	return r.readAgain(now)
}

// readAgain reads the keys and returns them. If the read fails, it returns the old keys. The caller must hold the lock
// r.mu. readAgain releases the lock during the read, and holds it again when it returns.
func (r *Ring) readAgain(now game.Instant) *Keys {
	done := make(chan struct{})
	r.reading = done
	r.mu.Unlock()
	keys, err := r.read()
	r.mu.Lock()
	r.readAt, r.goodFor, r.failure = now, r.maxAge, err
	if err != nil {
		r.goodFor = ReadingPause
	} else {
		r.keys = keys
	}
	r.reading = nil
	close(done)
	return r.keys
}

// apart returns the time between two instants in any order, never a negative one. With negative times, keys would stay
// in use too long after a clock is set back.
func apart(a, b game.Instant) time.Duration {
	if a < b {
		a, b = b, a
	}
	return a.Time().Sub(b.Time())
}
