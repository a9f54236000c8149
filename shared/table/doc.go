// Package table sends requests to one DynamoDB table: typed reads, pages, batches, scans, plain writes, and transactions
// with an error for each item. It repeats what fails in passing, and limits how long a request goes on. It does not know
// what the items mean.
//
// # How long a request goes on
//
// An attempt that is silent for 1 s is repeated, and so is one that fails in passing. The context says how long:
//
//	              the table is silent, or fails   the table throttles                 the answer is slow
//	read, plain   3 s                             1 s more, at most 3 s: busy (New)   3 s
//	write
//	these, in a   3 s without an answer           until the deadline                  until the deadline
//	patient
//	context
//	transaction   until the deadline              until the deadline                  until the deadline
//
// Patiently makes a context patient. Decide and Scan call what they call in a patient context. The deadline is the
// context's own; it may also end the other requests earlier.
//
// # Errors of transactions
//
// Decide repeats what a caller reads and writes, until it has decided. The errors by which it tells that the caller must
// read again:
//
//	error        meaning                                                       Decide
//	ErrStale     a condition failed: a record has changed since it was read    waits, and tries again; counts a conflict
//	ErrAgain     any other reason to read again; Decide's caller wraps it      waits, and tries again
//	ErrHeld      (an ErrAgain) other transactions have held the items          waits, and tries again
//	Torn         records contradict each other. It comes with ErrStale,        tries again for 4 s, then returns it
//	             because a transaction may not be visible as a whole yet
//	any other    a refusal or a fault                                          returns it
package table
