// Package game holds the rules of Ranch: its records, what is allowed, and what follows. What decides is a pure
// function of values and a time; nothing knows of HTTP or AWS. Only what makes a new record is random, and says so:
// NewID draws an id, and NewAccount, NewExternalAccount, Starters and the ledger's entries use it. The traits of
// Starters come from the randomness that the caller hands in.
//
// JSON field names are those of docs/rules.md, S2.
package game
