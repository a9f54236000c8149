package token

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// MaxAge is how long keys are used before they are read again. After that time, every process with work knows a
	// change of the secret.
	MaxAge = 5 * time.Minute
	// Lead is how long a new key should be in the secret before it signs. After that time, every process knows it, even
	// if clocks differ by minutes.
	Lead = 2 * MaxAge
	// ReadingPause is the least time between two reads of the keys for tokens with unknown keys, and after a failed
	// read.
	ReadingPause = 30 * time.Second
)

// Ring is keys that are read again when they are old, or when a token names an unknown one. It is safe for concurrent
// use.
//
// Only the request that finds a read due waits for it, and requests whose token names an unknown key. There is never
// more than one read under way. A failed read leaves the keys as they are. The requests provide the time.
type Ring struct {
	read   func() (*Keys, error)
	maxAge time.Duration

	mu      sync.Mutex
	keys    *Keys
	readAt  game.Instant  // when the last read began
	goodFor time.Duration // after readAt
	askedAt game.Instant  // the last read for a token with an unknown key
	reading chan struct{} // closed at the end of the read under way; nil: none
	failure error         // of the last read; nil if it succeeded
}

// NewRing returns a ring of keys that were read at that time; the zero time makes the next request read them again.
// Keys older than maxAge are read again. The function that reads limits its own time.
func NewRing(keys *Keys, readAt time.Time, maxAge time.Duration, read func() (*Keys, error)) *Ring {
	return &Ring{read: read, maxAge: maxAge, keys: keys, readAt: game.InstantOf(readAt), goodFor: maxAge}
}

// IssueAccess is Keys.IssueAccess with the keys of the instant.
func (r *Ring) IssueAccess(u game.User, now game.Instant) (string, error) {
	keys, _ := r.at(now)
	return keys.IssueAccess(u, now)
}

// IssueSession is Keys.IssueSession with the keys of the instant.
func (r *Ring) IssueSession(u game.User, now game.Instant) (Session, error) {
	keys, _ := r.at(now)
	return keys.IssueSession(u, now)
}

// VerifyAccess is Keys.VerifyAccess with the keys of the instant.
func (r *Ring) VerifyAccess(token string, now game.Instant) (Caller, error) {
	return verified(r, now, func(k *Keys) (Caller, error) { return k.VerifyAccess(token, now) })
}

// VerifyRefresh is Keys.VerifyRefresh with the keys of the instant.
func (r *Ring) VerifyRefresh(token string, now game.Instant) (game.ID, error) {
	return verified(r, now, func(k *Keys) (game.ID, error) { return k.VerifyRefresh(token, now) })
}

// verified verifies a token, and a second time if its key was unknown and there are newer keys. If no keys could be
// read yet, the token cannot be judged: the error is the last read's.
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

// unread returns why there are no keys, or nil if there are some, or if a read has found none.
func (r *Ring) unread() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys.keys) > 0 {
		return nil
	}
	return r.failure
}

// at returns the keys, and whether this call has read them, or tried to.
func (r *Ring) at(now game.Instant) (keys *Keys, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading != nil || apart(now, r.readAt) < r.goodFor {
		return r.keys, false
	}
	return r.readAgain(now), true
}

// besides returns newer keys than these: those of the read that is under way or has just ended, or of a new read. It
// returns none if the last such read was too recent. Without any keys the service is new: a token with its first key
// must not wait because of earlier rubbish.
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

// readAgain reads the keys, and returns them, or the old ones if that fails. The caller holds the lock, and holds it
// again afterwards.
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

// apart returns the distance of two instants in either direction: a clock that was set back must not make keys last.
func apart(a, b game.Instant) time.Duration {
	if a < b {
		a, b = b, a
	}
	return a.Time().Sub(b.Time())
}
