// Package client is the Go client of the Ranch API, for the tests and tools of this repository. The clients for games
// are in the folders below (docs/clients.md).
//
// Transport sends single requests. Client plays as one player: it keeps the session in memory, and refreshes an access
// token that the service refuses. Neither of them repeats a request. If no answer comes, a change may have been made.
//
// The types have the fields that the tests and tools read. docs/openapi.yaml has all.
package client
