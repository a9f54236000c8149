// Package twophase gives a local DynamoDB the two-phase commit of the cloud's, which no local engine has: transactions
// that hold their items, conflict with others, and become visible item by item. It stands before any engine that speaks
// DynamoDB's JSON protocol. It decides nothing by itself: whoever drives it says which items of a transaction a read
// sees, and when the transaction is over.
//
//	front := visibility.New(http.DefaultTransport)
//	request, err := front.Parse(r)
//	if request.Changes() {
//		answer, commit, err := front.Write(request) // then commit.Show(...), commit.End()
//	} else {
//		answer, err := front.Read(request, func(visibility.Key) bool { return false })
//	}
//
// # What is modelled
//
// A transaction that the engine has applied is a Commit until it ends. While it is open, each of its items is hidden or
// shown: a read of a hidden item is answered as if it had not been written, and once shown, an item stays. A
// transaction that names a hidden item is cancelled for a conflict, a plain write refused, as DynamoDB does; so is the
// same ClientRequestToken (TransactionInProgressException). Condition checks are items too: they hide nothing, but
// conflict until the commit ends. An item that is shown is free for others, though its commit is still open: DynamoDB
// releases items one by one, too.
//
//	                  meets an item that a commit hides or checks
//	GetItem, Query    answers as before the commit, unless the driver shows the item
//	BatchGetItem      the same
//	Scan              the same
//	TransactGetItems  TransactionCanceledException, TransactionConflict
//	plain writes      TransactionConflictException
//	BatchWriteItem    UnprocessedItems
//	transactions      TransactionCanceledException, TransactionConflict; TransactionInProgressException for its token
//
// A page with hidden items is put together here: what the engine has is read without limit, filter and projection, and
// the expressions are evaluated by this package. What it cannot evaluate (functions beyond begins_with,
// attribute_exists and attribute_not_exists, indexes of lists, legacy parameters, secondary indexes) is answered by a
// ValidationException that says so, never by a wrong page; so is PartiQL, always. Without hidden items in reach the
// engine's answer passes byte by byte.
//
// # Scans
//
// Pages of a Scan are in the engine's order. A hidden item that the engine has no more stands before the item that the
// engine names as its successor, so an engine must accept an ExclusiveStartKey that is not there, as DynamoDB does.
// Segments are this package's own, by a hash of the partition key, whether anything is hidden or not: which one the
// engine would put a deleted item into, nobody knows. Each segment reads the whole table.
//
// # What is not modelled
//
// Time: package capacity has holds that end by the clock, capacity and latencies. The two can be chained, this one
// behind: visibility.New(capacity.New(o).Transport(engine)); but its own reads are then metered as well, and a request
// fails where they are throttled. Before-images are read before each transaction (and, with a Journal, each plain
// write), past eventually consistent reads: all are strongly consistent. Writes that go past the Front are not seen.
// Keys that are numbers must be written alike everywhere: 1 and 1.0 are two. ConsumedCapacity is the engine's. A batch
// of reads, and a page, are of one instant; DynamoDB promises that of each item alone.
package visibility

import (
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Key names one item by the values of its keys; SK is "" in a table without sort key.
type Key = protocol.Key

// Range is what a request reads of one partition: From <= SK <= To, where an empty one is no bound; one item where they
// are the same. It may be wider than what is asked for, never narrower.
type Range struct{ Table, PK, From, To string }

// Request is a request to DynamoDB, as far as transactions concern it.
type Request struct {
	Operation string  // such as "TransactWriteItems"
	Token     string  // ClientRequestToken; "" without
	Reads     []Range // sorted; of a Scan a range without partition
	Writes    []Key   // sorted: items that it puts, updates or deletes
	Checks    []Key   // sorted: items that it only has conditions for

	http  *http.Request
	body  []byte
	items []item // of writes and of reads by key, in the request's order
}

// Changes reports whether the request writes, or has conditions to check: it is one for Front.Write, any other one for
// Front.Read.
func (r *Request) Changes() bool { return len(r.Writes)+len(r.Checks) > 0 }

// item is one item that a request names.
type item struct {
	Key
	table string // as the request calls it
	key   []byte // the attributes of its key
	raw   []byte // the element of a batch
	check bool
}
