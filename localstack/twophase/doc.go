// Package twophase gives a local DynamoDB the transactions of the cloud's, which no local engine has: those that hold
// their items, conflict with others, and become visible item by item. It stands before any engine that speaks
// DynamoDB's JSON protocol. It decides nothing by itself: whoever drives it says which items of a transaction a read
// sees, and when the transaction is over. What it does not understand passes byte by byte.
//
// # What is modelled
//
// A transaction that the engine has applied is a Commit until it ends. While it is open, each of its items is hidden or
// shown: a read of a hidden item is answered as if it had not been written, and once shown, an item stays. A
// transaction that names a hidden item is cancelled for a conflict, a plain write refused, as DynamoDB does; so is the
// same ClientRequestToken (TransactionInProgressException). Condition checks are items too: they hide nothing, but
// conflict.
package twophase

import "net/http"

// Key names one item.
type Key struct{ Table, PK, SK string }

// Range is what a request reads of one partition: From <= SK <= To, all of it where both are empty; one item where they
// are the same.
type Range struct{ Table, PK, From, To string }

// Request is a request to DynamoDB, as far as transactions concern it.
type Request struct {
	Operation string  // such as "TransactWriteItems"
	Token     string  // ClientRequestToken; "" without
	Reads     []Range // sorted; of a Scan a range without partition
	Writes    []Key   // sorted: items that it puts, updates or deletes
	Checks    []Key   // sorted: items that it only has conditions for

	http *http.Request
	body []byte
}
