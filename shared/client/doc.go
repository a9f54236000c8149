// Package client is the Go client of the API (docs/openapi.yaml): typed calls, a session that stays logged in, and an
// answer to what a lost answer leaves open. Its twin is the TypeScript package beside it (shared/client/typescript);
// both behave alike, which localstack/accept/conformance holds by scenarios (docs/scenarios.md lists them).
//
// A Transport makes one exchange and has no opinion; a Client stands on it and has a session, a patience and a memory.
// The package imports nothing but the standard library, and nothing of the service: what it knows is the contract.
package client
