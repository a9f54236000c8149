package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"
)

// Session has the tokens that keep a player logged in. Anyone who has a Session can act as the player for 30 days:
// protect it like a password.
type Session struct {
	API          string        `json:"api"`          // the base URL; a client ignores other services
	UserID       string        `json:"userId"`       // the player's id
	Username     string        `json:"username"`     // the player's name
	Token        string        `json:"token"`        // the access token, valid for 15 minutes
	RefreshToken string        `json:"refreshToken"` // valid for 30 days
	ReceivedAt   time.Time     `json:"receivedAt"`   // when the access token came, by this machine's clock
	Lifetime     time.Duration `json:"lifetimeMs"`   // of the access token: exp - iat; 0 if the token does not say
	Ahead        time.Duration `json:"aheadMs"`      // how far the service's clock is ahead of this machine's

	// RefusedSince and RefusedLast are the times of the first and the last of consecutive doubtful refusals, which a
	// failing service could send, too: after an hour the session ends. If the last answer was another, both are nil.
	RefusedSince *time.Time `json:"refusedSince,omitempty"`
	RefusedLast  *time.Time `json:"refusedLast,omitempty"`
}

// String returns the player and the service, without tokens. Packages fmt and log/slog print the same for every verb,
// so that tokens do not get into logs. JSON is the stored form and has the tokens.
func (s Session) String() string { return fmt.Sprintf("session of %s at %s", s.Username, s.API) }

// Format writes the result of String, for every verb.
func (s Session) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// GoString returns the result of String.
func (s Session) GoString() string { return s.String() }

// LogValue returns the result of String.
func (s Session) LogValue() slog.Value { return slog.StringValue(s.String()) }

// stored is the stored form of a Session, which all clients share: times are RFC 3339 in UTC.
type stored struct {
	plain
	Lifetime float64 `json:"lifetimeMs"`
	Ahead    float64 `json:"aheadMs"`
}

type plain Session

// MarshalJSON returns the stored form, with the tokens.
func (s Session) MarshalJSON() ([]byte, error) {
	s.ReceivedAt = s.ReceivedAt.UTC()
	for _, refused := range []**time.Time{&s.RefusedSince, &s.RefusedLast} {
		if *refused != nil {
			at := (*refused).UTC()
			*refused = &at
		}
	}
	return json.Marshal(stored{plain(s), float64(s.Lifetime.Milliseconds()), float64(s.Ahead.Milliseconds())})
}

// mostMilliseconds limits the durations of a stored session, because a time.Duration cannot hold much longer ones.
const mostMilliseconds = 9e12

var errNoSession = errors.New("the session has times or durations that are out of range")

// UnmarshalJSON reads the stored form. It cuts durations to milliseconds, and refuses times that it could not store.
func (s *Session) UnmarshalJSON(text []byte) error {
	var read stored
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if math.Abs(read.Lifetime) > mostMilliseconds || math.Abs(read.Ahead) > mostMilliseconds {
		return errNoSession
	}
	stored := Session(read.plain)
	stored.Lifetime = time.Duration(read.Lifetime) * time.Millisecond
	stored.Ahead = time.Duration(read.Ahead) * time.Millisecond
	if _, err := json.Marshal(stored); err != nil { // years that RFC 3339 cannot write, in UTC
		return errNoSession
	}
	*s = stored
	return nil
}

// Store keeps a session. MemoryStore and FileStore are stores. A game can have its own, such as the system's keychain.
// Clients that share a Store share the session: if one refreshes the token, all use the new token. A Store must be safe
// for concurrent use. If it fails, its clients keep the session in memory, and Client.Session returns the error.
type Store interface {
	// Load returns the session, or nil if the store has none.
	Load(ctx context.Context) (*Session, error)
	// Update replaces the session by the result of change. It is atomic: no other Update runs meanwhile, in any process
	// that shares the store. It calls change at most once. nil means no session. If change returns current itself, the
	// session stays as it is.
	Update(ctx context.Context, change func(current *Session) *Session) error
	// Lock waits until no other client holds the lock, in any process that shares the store. A client holds the lock
	// while it refreshes the session, so that only one client does. Update must not wait for this lock.
	Lock(ctx context.Context) (unlock func(), err error)
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events.
const (
	SessionStarted   EventKind = "sessionStarted"   // the player registered or logged in
	SessionRefreshed EventKind = "sessionRefreshed" // there is a new access token
	SessionEnded     EventKind = "sessionEnded"     // the player must log in; Event.Reason says why
	Unreachable      EventKind = "unreachable"      // a call got no answer; the session stays
	Reachable        EventKind = "reachable"        // the first answer after Unreachable came
)

// The reasons why a session ended.
const (
	ReasonLogout  = "logout"  // the player logged out
	ReasonRefused = "refused" // the refresh token was revoked or expired
	ReasonBanned  = "banned"  // the player is banned or deleted
	ReasonNone    = "none"    // only of a SessionEndedError: there was no session, or another player has logged in
)

// Event reports a change of the session, or that the service became unreachable or reachable. A client delivers its
// events one at a time and in order, after the session is stored. An event can come after the call that caused it has
// returned. If another client changes a shared session, there is no event: the next call uses the changed session.
type Event struct {
	Kind   EventKind
	Reason string // of SessionEnded: ReasonLogout, ReasonRefused or ReasonBanned
}
