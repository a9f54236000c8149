// Package logcheck checks any number of calls by their traces: one log line for each call, the table, and the answers
// that callers have recorded. It does not search for an order of all calls. The numbers of ledger rows, the receipts
// and the judgings give an order, and logcheck compares it with the times of the calls.
//
// A call is done or refused, or its outcome is unknown because it failed or its caller had no answer. A call that is
// done must have left its trace, and a refused call none. Each trace must belong to a call that is done or unknown, if
// the records must have all calls of its time. What an answer contains, such as the reason of a refusal, must have been
// true at some instant of the call. What an answer leaves out must have been missing at some instant of the call.
//
// These files have the rules:
//
//	calls.go    what each call's answer implies about others: who was banned, which show had ended
//	reads.go    lists, shows, scores, gold and animals that were read
//	states.go   what was certainly or possibly true during a call
//	stored.go   the stored state, and the calls that can have led to it
//	ledger.go   each row of a ledger belongs to one call
//	shows.go    entries, judgings and prizes, as the store reads them
//	table.go    reads of the table; bans in the records of operators
//
// If logcheck compares times of two clocks, it allows for the skew. It compares callers' times without it, so all
// callers must use one clock. It compares a Record's At with the stored times of the same call to the millisecond.
package logcheck

import (
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Options configure the comparison of calls.
type Options struct {
	Skew time.Duration // the largest difference of two clocks
	// Late is for calls without a record yet: they began within Late before the end of the log. 0 means no such calls.
	Late time.Duration
	// Complete means that every call since the creation of the table has a Record by its caller, also those of
	// operators. Only then does a missing call contradict an answer.
	Complete bool
	// Patience is how long CheckTable tries to read an account or a show; 0 means DefaultPatience.
	Patience time.Duration
}

// These are the values for the functions' log. DefaultLate is the longest time that API Gateway waits. A show becomes
// fully visible within milliseconds, and even a throttled read ends within seconds, long before DefaultPatience.
const (
	DefaultSkew     = 2 * time.Second
	DefaultLate     = 30 * time.Second
	DefaultPatience = time.Minute
)

// Violation is a contradiction to the rules.
type Violation struct {
	Text     string   `json:"text"`
	Requests []string `json:"requests"` // the ids of the calls that show it
	Calls    []Record `json:"-"`        // the same calls
}

// Count has the numbers of calls of one kind, by outcome.
type Count struct {
	Done    int `json:"done"`
	Refused int `json:"refused"`
	Unknown int `json:"unknown"`
}

// Report is the result of the checks.
type Report struct {
	Records    int            `json:"records"`
	Duplicates int            `json:"duplicates"` // lines that were read before
	Others     int            `json:"others"`     // lines that belong to no call
	Lost       int            `json:"lost"`       // processes that ended before they could write a line
	Untimed    int            `json:"untimed"`    // how many of them ended at an unknown time: any call may be missing
	From       game.Instant   `json:"from"`
	To         game.Instant   `json:"to"`
	Calls      map[Kind]Count `json:"calls"`
	Paid       int64          `json:"paid"` // gold, by the records
	Charged    int64          `json:"charged"`
	Table      *TableReport   `json:"table"` // nil without CheckTable

	Violations []Violation `json:"violations"` // the first ones of each rule
	Found      int         `json:"found"`      // how many there are in all
}

// TableReport counts what CheckTable has read. Its gold is the sum of the ledger rows that belong to records.
type TableReport struct {
	Accounts int   `json:"accounts"`
	Shows    int   `json:"shows"`
	Paid     int64 `json:"paid"`
	Charged  int64 `json:"charged"`
}
