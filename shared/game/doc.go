// Package game holds the rules of Ranch: its records and its decisions. Decisions are pure functions of values and a
// time. The package knows nothing of HTTP or AWS. Only functions that make records are random, and their comments say
// so: NewID, NewAccount, NewExternalAccount, Starters and the ledger's entries. The caller of Starters provides the
// randomness for the traits.
//
// JSON field names are those of docs/rules.md, S2.
package game
