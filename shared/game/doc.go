// Package game holds the rules of Ranch: its records and its decisions. The package knows nothing of HTTP or AWS. Its
// functions depend only on values and a time, except that some draw random ids: NewID, NewAccount, NewExternalAccount,
// Starters, and the functions that return ledger rows. The caller of Starters provides the random numbers for traits.
//
// docs/rules.md, S2 defines the names of the JSON fields.
package game
