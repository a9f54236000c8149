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

// isRule reports whether the service refused the request by its rules. Such a request changed nothing.
func (e *Error) isRule() bool {
	return e.Code != Unexpected && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusTooManyRequests
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

// UnknownOutcomeError means that a change may have been made, and that the client could not find out. Show the player
// its Advice. It is safe to call again.
type UnknownOutcomeError struct {
	Operation string // "enter", "judge", "claim" or "register"
	Advice    string // a sentence for people: what to do now
	Err       error  // the cause
}

func unknown(operation string, err error) *UnknownOutcomeError {
	return &UnknownOutcomeError{operation, advice[operation], err}
}

// Error returns sentences for people, the cause and the advice.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("It is not known whether this was done (%v). %s", e.Err, e.Advice)
}

// Unwrap returns the cause.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

var advice = map[string]string{
	"enter":    "Look at the show again in a minute; entering again cannot charge twice.",
	"judge":    "Look at the show again in a minute; judging again cannot change the ranks.",
	"claim":    "Look at the show again in a minute; claiming again cannot pay twice.",
	"register": "Log in with the same e-mail address and password; if that is refused, register again.",
}

// SessionEndedError means that the player must log in: there is no session, or the session has ended.
type SessionEndedError struct {
	Reason string // as in the event SessionEnded; ReasonNone if there was no such event
}

// Error returns a sentence for people.
func (e *SessionEndedError) Error() string {
	if e.Reason == ReasonBanned {
		return "This account is banned or deleted."
	}
	return "Please log in."
}
