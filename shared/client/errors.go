package client

import "fmt"

// Code is the "error" field of an answer: what a program goes by.
type Code string

// The codes of the contract.
const (
	ValidationError    Code = "VALIDATION_ERROR"
	MissingToken       Code = "MISSING_TOKEN"
	Invalid            Code = "INVALID"
	InsufficientGold   Code = "INSUFFICIENT_GOLD"
	AlreadyClaimed     Code = "ALREADY_CLAIMED"
	InvalidCredentials Code = "INVALID_CREDENTIALS"
	OAuthAccount       Code = "OAUTH_ACCOUNT"
	InvalidToken       Code = "INVALID_TOKEN"
	Unauthorized       Code = "UNAUTHORIZED"
	Banned             Code = "BANNED"
	NotFound           Code = "NOT_FOUND"
	Conflict           Code = "CONFLICT"
	Duplicate          Code = "DUPLICATE"
	InternalError      Code = "INTERNAL_ERROR"

	// Of API Gateway itself, whose answers have no code.
	TooManyRequests    Code = "TOO_MANY_REQUESTS"   // 429
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE" // 502, 503, 504
	Unexpected         Code = "UNEXPECTED"          // an answer that the contract does not have
)

// Error is an answer other than yes. Message is for people.
type Error struct {
	Status    int
	Code      Code
	Message   string              // the service's own words, "" where it has none
	Details   map[string][]string // of a registration: field name to sentences
	RequestID string              // to look for in the service's log; "" where it was not told
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%s (%d)", e.Code, e.Status)
	}
	return fmt.Sprintf("%s: %s (%d)", e.Code, e.Message, e.Status)
}

// NetworkError says that nothing came back, and that nothing was changed that matters: the call may be made again.
type NetworkError struct{ Err error }

func (e *NetworkError) Error() string { panic("not there yet") }
func (e *NetworkError) Unwrap() error { return e.Err }

// UnknownOutcomeError says that a change may have been made or not, and that it could not be found out. Advice is a
// sentence for people that says what to do.
type UnknownOutcomeError struct {
	Operation string // "enter", "judge", "claim", "register"
	Advice    string
	Err       error // what went wrong last
}

func (e *UnknownOutcomeError) Error() string { panic("not there yet") }
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// SessionEndedError says that the call needs a log-in: there is no session, or it was refused for good.
type SessionEndedError struct{ Reason string }

func (e *SessionEndedError) Error() string { panic("not there yet") }
