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

// Session is what keeps a player logged in. Whoever has it can be the player: it belongs where passwords belong.
type Session struct {
	API          string        `json:"api"` // a session of another service is none
	UserID       string        `json:"userId"`
	Username     string        `json:"username"`
	Token        string        `json:"token"`
	RefreshToken string        `json:"refreshToken"`
	ReceivedAt   time.Time     `json:"receivedAt"` // the access token, by this machine's clock
	Lifetime     time.Duration `json:"lifetimeMs"` // of the access token: exp - iat; 0 where it does not tell
	Ahead        time.Duration `json:"aheadMs"`    // how far the service's clock is ahead of this machine's

	// RefusedSince and RefusedLast are when the first and the last came of an unbroken row of refusals that may be
	// failures of the service's own; nil where there is no such row.
	RefusedSince *time.Time `json:"refusedSince,omitempty"`
	RefusedLast  *time.Time `json:"refusedLast,omitempty"`
}

// String names the session, and none of its secrets: a line in a log must not log anybody in. Neither does one of
// package fmt, whatever the verb, nor one of log/slog. JSON is the stored form, with the secrets.
func (s Session) String() string { return fmt.Sprintf("session of %s at %s", s.Username, s.API) }

// Format writes what String returns.
func (s Session) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// GoString is what String returns.
func (s Session) GoString() string { return s.String() }

// LogValue is what String returns.
func (s Session) LogValue() slog.Value { return slog.StringValue(s.String()) }

// stored is a Session in its stored form: the one of all clients, times as RFC 3339 in UTC.
type stored struct {
	plain
	Lifetime float64 `json:"lifetimeMs"`
	Ahead    float64 `json:"aheadMs"`
}

type plain Session

// MarshalJSON writes the stored form.
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

// mostMilliseconds is more than clocks and lives of tokens differ by, and less than a time.Duration has room for.
const mostMilliseconds = 9e12

var errNoSession = errors.New("the session has times that there are not")

// UnmarshalJSON reads the stored form, to the millisecond. What could not be stored again is an error.
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
	if _, err := json.Marshal(stored); err != nil { // years that RFC 3339 does not have, in UTC
		return errNoSession
	}
	*s = stored
	return nil
}

// Store keeps a session. Clients that share one share the session: what one refreshes, the others use. It may be used
// by many at once. A client whose Store fails goes on with what it knows itself (Client.Session tells).
type Store interface {
	// Load returns nil where there is no session.
	Load(ctx context.Context) (*Session, error)
	// Update puts what change makes of the session in its place. Nobody else's Update comes in between, in any process
	// that shares the store. change is called once at most, and is quick; nil is no session, as current and as what it
	// returns; it returns current itself to leave it.
	Update(ctx context.Context, change func(current *Session) *Session) error
	// Lock waits until nobody else holds it, in any process that shares the store. Whoever refreshes holds it
	// meanwhile, over the network, so that one does it for all. Update does not wait for it.
	Lock(ctx context.Context) (unlock func(), err error)
}

// EventKind says what became of the session.
type EventKind string

const (
	SessionStarted   EventKind = "sessionStarted"   // registered, or logged in
	SessionRefreshed EventKind = "sessionRefreshed" // a new access token
	SessionEnded     EventKind = "sessionEnded"     // logged out, or refused for good: log in again
	Unreachable      EventKind = "unreachable"      // a call has failed for want of an answer; the session stays
	Reachable        EventKind = "reachable"        // the first answer since
)

// Why a session ended.
const (
	ReasonLogout  = "logout"
	ReasonRefused = "refused" // the refresh token is revoked or expired
	ReasonBanned  = "banned"  // or deleted
	ReasonNone    = "none"    // of a SessionEndedError alone: there was no session, or it is another player's by now
)

// Event is something that became of the session, told once, after it is so. A client tells its events one at a time, in
// their order; one that comes while another is being told follows it, be the call over that it comes of. What another
// client does with a session that is shared is no event here: the next call goes by it.
type Event struct {
	Kind   EventKind
	Reason string // why a session ended
}
