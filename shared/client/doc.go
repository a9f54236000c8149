// Package client is the Go client of the Ranch API, for tests and tools.
//
// Client plays as one player, whose session it keeps in memory. It refreshes access tokens, and repeats requests that
// may succeed later, with back-off and jitter. It repeats a change only if the attempt before has certainly changed
// nothing. If the answer to a change gets lost, the error is an *UnknownOutcomeError. The clients in other languages,
// which are for games, then look up whether the change was made (docs/clients.md in the repository of the service).
//
// The errors of a call are:
//
//   - *Error: the service answered, and refused or failed. CodeOf returns its code.
//   - *NetworkError: no answer came, and the call changed nothing.
//   - *UnknownOutcomeError: a change may have been made.
//   - *SessionEndedError: the player must log in.
//   - ErrHTTP: the API's address is not safe.
//   - The context's error, wrapped, if the context ended.
//
// Transport sends single requests, without a session or repetition.
//
// The package needs only the standard library. The contract of the API is docs/openapi.yaml.
//
// The owner has not chosen a licence yet: until then only the owner may use, change or distribute this package.
package client
