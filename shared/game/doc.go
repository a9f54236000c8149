// Package game holds the rules of Ranch: its records and its decisions. Decisions are pure functions of values and a
// time. The package knows nothing of HTTP or AWS. Some functions draw random ids: NewID, NewAccount,
// NewExternalAccount, Starters, and the functions that return ledger rows. Starters also needs randomness for the
// traits of animals, which its caller provides.
//
// docs/rules.md, S2 defines the names of the JSON fields.
package game
