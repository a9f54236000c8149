// Package visibility gives a local DynamoDB the two-phase commit of the cloud's, which no local engine has:
// transactions hold their items, conflict with others, and become visible item by item. It decides nothing by itself:
// its driver says which items of a transaction a read sees, and when the transaction is over.
//
//	front := visibility.New(http.DefaultTransport)
//	request, err := front.Parse(r)
//	if request.Changes() {
//		answer, commit, err := front.Write(request) // then commit.Show(...), commit.End()
//	} else {
//		answer, err := front.Read(request, func(protocol.Key) bool { return false })
//	}
//
// # What is modelled
//
// A transaction that the engine has applied is a Commit until it ends. While it is open, each of its items is hidden or
// shown: a read of a hidden item finds it as if it had not been written, and once shown, an item stays. A condition
// check hides nothing, but conflicts until the commit ends. An item that is shown is free for others, though its commit
// is still open: DynamoDB releases items one by one, too.
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
// This package puts a page with hidden items together: it reads all that the engine has of the partition or the table,
// without limit, filter and projection, and evaluates the expressions itself. It cannot evaluate functions beyond
// begins_with, attribute_exists and attribute_not_exists, indexes of lists, legacy parameters and secondary indexes. It
// refuses these with a ValidationException, but only while something in reach is hidden. It refuses PartiQL at any
// time. If nothing in reach is hidden, the engine's answer passes as it is.
//
// Pages of a Scan are in the engine's order. A hidden item that the engine has no more stands before the item that the
// engine names as its successor, so an engine must accept an ExclusiveStartKey that is not there, as DynamoDB does.
// Segments of a Scan are the simulator's own, whether anything is hidden or not, and each reads the whole table.
//
// # What is not modelled
//
// Time: package dynamo shows items by the clock, and package capacity has capacity and latencies. This package reads
// before-images before each transaction (and, with a Journal, before each plain write). All reads are strongly
// consistent. It does not see writes that go past it. Keys that are numbers must be written alike everywhere: 1 and 1.0
// are two. ConsumedCapacity is the engine's. A batch of reads, and a page, show one instant. DynamoDB promises that
// only for each item.
package visibility
