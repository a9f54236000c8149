// Package visibility gives a local DynamoDB the cloud's two-phase commit, which no local engine has. Transactions hold
// their items, conflict with others, and become visible item by item. The package's driver, such as a test, decides
// which items of a transaction a read sees, and when the transaction ends.
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
// visible. A read of a hidden item returns the item as it was before the transaction. A visible item stays visible. A
// condition check hides nothing, but conflicts with other transactions until the commit ends. Other requests can write
// a visible item even if its commit is still open, because DynamoDB also releases items one by one.
//
//	                  meets an item that a commit hides or checks
//	GetItem, Query    answers as before the commit, unless the driver shows the item
//	BatchGetItem      the same
//	Scan              is refused
//	TransactGetItems  TransactionCanceledException, TransactionConflict
//	plain writes      TransactionConflictException
//	transactions      TransactionCanceledException, TransactionConflict; TransactionInProgressException for its token
//
// The package assembles a page that has hidden items by itself. It reads the whole range from the engine, without limit
// and projection. It knows the queries of Ranch's store: of a partition, or of the sort keys between two others
// (protocol.Page). It refuses other reads with a ValidationException, but only while an item in the range is hidden. If
// no item in the range is hidden, the client gets the engine's response unchanged.
//
// # What is not modelled
//
// The package has no time: package dynamo makes items visible by the clock, and package capacity has capacity and
// latencies. Before each transaction (and, with a Journal, before each plain write) this package reads the items to
// know their old values. All reads are strongly consistent. The package does not see writes that reach the engine
// another way. Keys must be strings. ConsumedCapacity is the engine's. A batch of reads, or a page, shows one instant
// for all items, whereas DynamoDB promises this only for each item.
package visibility
