package storetest

import "github.com/ranch-game/ranch/localstack/dynamo/faults"

// Fault handles one attempt of a request in place of the engine (package faults).
type Fault = faults.Fault

// These are the faults of package faults that tests of the store plan with Wire.Next.
var (
	Before    = faults.Before
	Cancelled = faults.Cancelled
	Late      = faults.Late
	Page      = faults.Page
	Proxied   = faults.Proxied

	Pass               Fault = faults.Pass
	Lost               Fault = faults.Lost
	Refuse             Fault = faults.Refuse
	Hang               Fault = faults.Hang
	LoseAnswer         Fault = faults.LoseAnswer
	CutAnswer          Fault = faults.CutAnswer
	StallAnswer        Fault = faults.StallAnswer
	Unprocessed        Fault = faults.Unprocessed
	UnprocessedFirst   Fault = faults.UnprocessedFirst
	Behind             Fault = faults.Behind
	Conflict                 = faults.Conflict
	ConflictPlainWrite       = faults.ConflictPlainWrite
	InProgress               = faults.InProgress
	Throttle                 = faults.Throttle
	Unavailable              = faults.Unavailable
	Overloaded               = faults.Overloaded
	Denied                   = faults.Denied
	Unsigned                 = faults.Unsigned
	Skewed                   = faults.Skewed
)

// Meanwhile plans a call of do between the reads and the write of the next operation. The call happens just before the
// next transaction reaches the engine.
func (t *Table) Meanwhile(do func()) { t.Wire.Next("TransactWriteItems", Before(do)) }
