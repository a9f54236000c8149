package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Code is the "error" field of an answer: what a program goes by.
type Code string

// The codes of answers that have none in the contract, whose own are in api.go.
const (
	TooManyRequests    Code = "TOO_MANY_REQUESTS"   // 429
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE" // 502, 503, 504
	Unexpected         Code = "UNEXPECTED"          // an answer that the contract does not have
)

// Error is an answer other than yes. Its text is for people.
type Error struct {
	Status    int
	Code      Code
	Message   string              // the service's own words, "" where it has none
	Details   map[string][]string // of a registration: field name to sentences
	RequestID string              // to look for in the service's log; "" where it was not told
}

func (e *Error) Error() string {
	text := cmp.Or(e.Message, sentences[e.Code], fmt.Sprintf("The service has answered %d.", e.Status))
	for _, field := range slices.Sorted(maps.Keys(e.Details)) {
		text += fmt.Sprintf("; %s: %s", field, strings.Join(e.Details[field], ", "))
	}
	return text
}

// isRule says whether the service has decided, by its rules, that it does not do what was asked.
func (e *Error) isRule() bool {
	return e.Code != Unexpected && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusTooManyRequests
}

// isUnread says whether the answer may have been yes, and was none that can be read.
func (e *Error) isUnread() bool { return e.Status >= 200 && e.Status < 300 }

// CodeOf returns the code of the answer that an error is or wraps, "" where there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// sentences are for the answers that have no words of their own.
var sentences = map[Code]string{
	ValidationError:    "The service did not understand this.",
	Unauthorized:       "Please log in again.",
	NotFound:           "There is no such thing, or not any more.",
	AlreadyClaimed:     "The prize is claimed already.",
	InternalError:      "The service has failed. Please try again later.",
	TooManyRequests:    "Too many ask at the moment. Please try again shortly.",
	ServiceUnavailable: "The service is not there at the moment. Please try again shortly.",
	Unexpected:         "The service has given an answer that this version does not understand.",
}

// NetworkError says that nothing came back, and that nothing was changed that matters: the call may be made again. Its
// text is for people; Err is what the network said, with addresses, for a log.
type NetworkError struct{ Err error }

func (e *NetworkError) Error() string { return "The service cannot be reached." }
func (e *NetworkError) Unwrap() error { return e.Err }

// UnknownOutcomeError says that a change may have been made or not, and that it could not be found out. Advice is a
// sentence for people that says what to do.
type UnknownOutcomeError struct {
	Operation string // "enter", "judge", "claim", "register"
	Advice    string
	Err       error // what went wrong last
}

func unknown(operation string, err error) *UnknownOutcomeError {
	return &UnknownOutcomeError{operation, advice[operation], err}
}

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("It is not known whether this was done (%v). %s", e.Err, e.Advice)
}
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

var advice = map[string]string{
	"enter":    "Look at the show again in a minute; entering again cannot charge twice.",
	"judge":    "Look at the show again in a minute; judging again cannot change the ranks.",
	"claim":    "Look at the show again in a minute; claiming again cannot pay twice.",
	"register": "Log in with the same e-mail address and password; if that is refused, register again.",
}

// SessionEndedError says that the call needs a log-in: there is no session, or it was refused for good. Reason is that
// of the event which told so, or ReasonNone.
type SessionEndedError struct{ Reason string }

func (e *SessionEndedError) Error() string {
	if e.Reason == ReasonBanned {
		return "This account is banned or deleted."
	}
	return "Please log in."
}
