// Package logcheck checks a history of any length by what the service leaves behind: one log line per call, and the
// table. It does not search for an order of all calls. The numbers of the ledger rows, the receipts and the judgings
// state the order, and logcheck compares that order with the times of the calls.
//
// A call is done, refused, or nobody knows: it ended in a fault, or its caller was never told. What is done must have
// left its trace, what is refused must have left none, and each trace must be of a call that is done or that nobody
// knows of. A Record says so of one call, whether it comes from the log or from who called.
//
// Whoever writes Records has a clock of its own. Two of them are compared with the skew that is allowed; a Record's At
// is compared with what its own call has stored to the millisecond.
package logcheck

import (
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Kind is what was asked: the name of the function that answers it.
type Kind string

// The kinds that leave traces. Others are counted.
const (
	Register Kind = "register"
	Login    Kind = "login"
	Refresh  Kind = "refresh"
	Enter    Kind = "enter-show"
	Judge    Kind = "judge-show"
	JudgeDue Kind = "judge-due" // by the clock; one Record a show
	Claim    Kind = "claim-reward"
)

// Outcome is what is known of a call.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Unknown Outcome = "unknown"
)

// Record is one call.
type Record struct {
	Kind    Kind
	Outcome Outcome
	Refusal string // its code, and behind ": " its message, where it has one

	User, Show, Animal game.ID // "" where that is not known, or has nothing to do with it

	Began, Ended game.Instant
	At           game.Instant // the call's own time by the function's clock, which what it stores has; 0: not known

	Paid, Charged int64 // gold
	Judged        int   // entries of the show that a judging has counted; -1: not known

	Request string // its id, for people
}

// wellKnown reports whether the refusal is this one, with its message.
func (r Record) wellKnown(refusal *game.Refusal) bool {
	return r.Outcome == Refused && r.Refusal == refusal.Error()
}

// may reports whether the call may have had an effect.
func (r Record) may() bool { return r.Outcome != Refused }

// Options are how calls are compared.
type Options struct {
	Skew time.Duration // by how much two clocks may differ
	// Late is how long before the end of what was read a call may have begun whose record is not there yet; 0 where all
	// records are there.
	Late time.Duration
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
	Untimed    int            `json:"untimed"`    // those of them of which nobody knows when: any call may be missing
	From       game.Instant   `json:"from"`
	To         game.Instant   `json:"to"`
	Calls      map[Kind]Count `json:"calls"`
	Paid       int64          `json:"paid"` // gold, by the records
	Charged    int64          `json:"charged"`
	Table      *TableReport   `json:"table"` // nil where it was not asked

	Violations []Violation `json:"violations"` // the first ones of each rule
	Found      int         `json:"found"`      // all of them
}

// TableReport is what was read of the table. Its gold is that of the rows that the records' time covers.
type TableReport struct {
	Accounts int   `json:"accounts"`
	Shows    int   `json:"shows"`
	Paid     int64 `json:"paid"`
	Charged  int64 `json:"charged"`
}
