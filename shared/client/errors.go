package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Code is the reason why the service refused or failed, for programs. The service may add codes.
type Code string

// The codes of answers without a code of the service.
const (
	TooManyRequests    Code = "TOO_MANY_REQUESTS"   // 429
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE" // 502, 503, 504
	Unexpected         Code = "UNEXPECTED"          // the answer is not in the contract
)

// Error is an answer in which the service refused or failed, or that is not in the contract.
type Error struct {
	Status    int                 // of HTTP
	Code      Code                // Unexpected if the answer is not in the contract
	Message   string              // the service's sentence for people; "" if it sent none
	Details   map[string][]string // of a registration: what is wrong with each field
	RequestID string              // finds the request in the service's log; "" if the answer had none
}

// Error returns sentences for people.
func (e *Error) Error() string {
	text := cmp.Or(e.Message, sentences[e.Code], fmt.Sprintf("The service has answered %d.", e.Status))
	for _, field := range slices.Sorted(maps.Keys(e.Details)) {
		text += fmt.Sprintf("; %s: %s", field, strings.Join(e.Details[field], ", "))
	}
	return text
}

// isUnread reports whether the answer was a success that the client could not read.
func (e *Error) isUnread() bool { return e.Status >= 200 && e.Status < 300 }

// CodeOf returns the Code of the *Error that err is or wraps, and "" for all other errors and nil.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// sentences are the texts of answers without a message.
var sentences = map[Code]string{
	ValidationError:    "The service did not understand this.",
	Unauthorized:       "Please log in again.",
	NotFound:           "It does not exist, or no longer exists.",
	AlreadyClaimed:     "The prize is claimed already.",
	InternalError:      "The service has failed. Please try again later.",
	TooManyRequests:    "There are too many requests at the moment. Please try again shortly.",
	ServiceUnavailable: "The service is not there at the moment. Please try again shortly.",
	Unexpected:         "The service has given an answer that this version does not understand.",
}

// NetworkError means that no answer came. The call made no entry, judging, claim or player. Calling again is safe.
type NetworkError struct {
	Err error // the cause, with addresses: for a log
}

// Error returns a sentence for people.
func (e *NetworkError) Error() string { return "The service cannot be reached." }

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// UnknownOutcomeError means that a change may have been made. Look before you call again; a second call does no harm.
type UnknownOutcomeError struct {
	Err error // the cause
}

// Error returns a sentence for people, with the cause.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("It is not known whether this was done (%v).", e.Err)
}

// Unwrap returns the cause.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// SessionEndedError means that the player must log in: there is no session, or the session has ended.
type SessionEndedError struct {
	Reason string // ReasonLogout, for example; ReasonNone if there was no session
}

// Error returns a sentence for people.
func (e *SessionEndedError) Error() string {
	if e.Reason == ReasonBanned {
		return "This account is banned or deleted."
	}
	return "Please log in."
}
