// Package logcheck checks any number of calls by what the service leaves behind: one log line per call, the table, and
// the answers of callers who recorded them. It does not search for an order of all calls. The numbers of the ledger
// rows, the receipts and the judgings state the order, and logcheck compares that order with the times of the calls.
//
// A call is done, refused, or its outcome is unknown: it failed, or its caller had no answer. A call that is done must
// have left its trace, a refused one none, and each trace must belong to a call that is done or unknown. What an answer
// says must have been so at some instant of the call: a reason for a refusal, an entry that is shown. What it leaves
// out must not have been there all the while.
//
// The rules, by file:
//
//	calls.go    what each call's answer says of the others: who was banned, which show had ended
//	reads.go    lists, details, scores, gold and animals that were read
//	states.go   what was so during a call for certain, or may have been so
//	stored.go   what is stored in the end, by the calls that can have made it so
//	ledger.go   each row of a ledger is of one call
//	shows.go    entries, judgings and prizes, by the store's own reads
//	table.go    bans in the records of operators
//
// Two clocks are compared with the skew that is allowed, times of one caller without it. A Record's At is compared with
// what its own call has stored to the millisecond.
package logcheck

import (
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Options are how calls are compared.
type Options struct {
	Skew time.Duration // by how much two clocks may differ
	// Late is the longest time before the end of the log in which a call may have begun whose record is not there yet;
	// 0 if all records are there.
	Late time.Duration
	// Complete says that every call since the table was made has a Record by its caller, those of operators too: only
	// then can the lack of a call be held against an answer.
	Complete bool
	// Patience is how long an account or a show of the table is read before it counts as one that cannot be; 0 is
	// DefaultPatience.
	Patience time.Duration
}

// Of a log that functions write: their clocks, and the longest that API Gateway waits. And of the table: a show becomes
// whole within milliseconds, and is read within seconds, also among others who are throttled with it.
const (
	DefaultSkew     = 2 * time.Second
	DefaultLate     = 30 * time.Second
	DefaultPatience = time.Minute
)

// Violation is something that cannot have happened by the rules.
type Violation struct {
	Text     string   `json:"text"`
	Requests []string `json:"requests"` // the ids of those calls that show it
	Calls    []Record `json:"-"`        // those calls
}

// Count is how many calls of a kind there were, by what is known of them.
type Count struct {
	Done    int `json:"done"`
	Refused int `json:"refused"`
	Unknown int `json:"unknown"`
}

// Report is what was read and found.
type Report struct {
	Records    int            `json:"records"`
	Duplicates int            `json:"duplicates"` // lines that were there before, to the letter
	Others     int            `json:"others"`     // lines that are no call's
	Lost       int            `json:"lost"`       // processes that ended before they could write a line
	Untimed    int            `json:"untimed"`    // those of them at an unknown time: any call may be missing
	From       game.Instant   `json:"from"`
	To         game.Instant   `json:"to"`
	Calls      map[Kind]Count `json:"calls"`
	Paid       int64          `json:"paid"` // gold, by the records
	Charged    int64          `json:"charged"`
	Table      *TableReport   `json:"table"` // nil where it was not asked

	Violations []Violation `json:"violations"` // the first ones of each rule
	Found      int         `json:"found"`      // all of them
}

// TableReport is what was read of the table. Its gold is the gold of the rows that the records' time covers.
type TableReport struct {
	Accounts int   `json:"accounts"`
	Shows    int   `json:"shows"`
	Paid     int64 `json:"paid"`
	Charged  int64 `json:"charged"`
}
