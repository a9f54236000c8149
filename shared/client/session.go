package client

import (
	"context"
	"time"
)

// Session is what keeps a player logged in. Whoever has it can be the player: it belongs where passwords belong.
type Session struct {
	API          string        `json:"api"` // a session of another service is none
	UserID       string        `json:"userId"`
	Username     string        `json:"username"`
	Token        string        `json:"token"`
	RefreshToken string        `json:"refreshToken"`
	ReceivedAt   time.Time     `json:"receivedAt"` // the access token, by this machine's clock
	Lifetime     time.Duration `json:"lifetimeMs"` // of the access token: exp - iat, whatever the clocks say. Stored in milliseconds
	Ahead        time.Duration `json:"aheadMs"`    // how far the service's clock is ahead of this machine's. Stored in milliseconds
}

// Store keeps a session. Clients that share one share the session: what one refreshes, the others use.
type Store interface {
	// Load returns nil where there is no session.
	Load(ctx context.Context) (*Session, error)
	// Save keeps the session; nil removes it.
	Save(ctx context.Context, s *Session) error
	// Lock waits until nobody else holds it, in any process that shares the store. Refreshing happens under it.
	Lock(ctx context.Context) (unlock func(), err error)
}

// MemoryStore keeps a session as long as the process lives. The zero value is empty.
type MemoryStore struct{}

// FileStore keeps a session in a file that its owner alone may read, and can be shared by processes.
type FileStore struct{ Path string }

// EventKind says what became of the session.
type EventKind string

const (
	SessionStarted   EventKind = "sessionStarted"   // registered, or logged in
	SessionRefreshed EventKind = "sessionRefreshed" // a new access token
	SessionEnded     EventKind = "sessionEnded"     // logged out, or refused for good: log in again
	Unreachable      EventKind = "unreachable"      // a call has failed for want of an answer; the session stays
	Reachable        EventKind = "reachable"        // the first answer since
)

// Event is something that became of the session. Reason says why a session ended: "logout", "refused" (refresh token
// revoked or expired), "banned" (or deleted).
type Event struct {
	Kind   EventKind
	Reason string
}
