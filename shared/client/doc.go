// Package client is the Go client of the Ranch API.
//
// Client plays as one player. It has a typed method for each endpoint. It keeps the player logged in: it stores the
// session in a Store, refreshes access tokens, and reports each change of the session as an Event. It repeats requests
// that may succeed later, with back-off and jitter.
//
// Enter, Judge, Claim and Register are safe to call again. If the answer to such a call gets lost, the client looks up
// whether the change was made. If it was, the client returns the result; Enter, Judge and Claim set Resolved. Otherwise
// it returns the refusal or an *UnknownOutcomeError. It never reports a failure for a change that it can see.
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
// Transport sends single requests, without a session or repetition, for tests and tools.
//
// The package needs only the standard library. The contract of the API is docs/openapi.yaml in the repository of the
// service. README.md has a program that plays a first show, and docs/clients.md explains what a client must do. The
// clients in other languages behave alike. The scenarios of docs/scenarios.md test all clients, and are the main tests
// of this package (go test ./localstack/accept/conformance).
//
// The owner has not chosen a licence yet: until then only the owner may use, change or distribute this package.
package client
