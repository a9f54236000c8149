// Package visibility gives a local DynamoDB the cloud's two-phase commit, which no local engine has. A transaction
// holds (locks) its items, conflicts with others, and becomes visible item by item. The package's driver, such as a
// test, decides which items of a transaction a read sees, and when the transaction ends.
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
// A transaction that the engine has applied is an open Commit until the driver ends it. Each item that the transaction
// wrote is first hidden, and later visible. A read of a hidden item returns the item as it was before the transaction.
// The item of a condition check is not hidden, but held until the commit ends. Other requests can write a visible item
// even if its commit is still open, because DynamoDB also releases items one by one.
//
//	                  meets an item that a commit hides or checks
//	GetItem, Query    answers as before the commit, unless the driver shows the item
//	BatchGetItem      the same
//	Scan              is refused
//	TransactGetItems  TransactionCanceledException, TransactionConflict
//	plain writes      TransactionConflictException
//	transactions      TransactionCanceledException, TransactionConflict; TransactionInProgressException for its token
//
// If an item in a Query's range is hidden, the package assembles the page itself. For that it reads the whole range
// from the engine, without limit and projection. It can do so for the queries of Ranch's store: of a partition, or of
// the sort keys between two others (protocol.Page). It refuses other queries, and projections with paths or
// placeholders, with a ValidationException. If no item in the range is hidden, the response is the engine's.
//
// # What is not modelled
//
// The package has no clock: package capacity has capacity and latencies. Before each transaction, this package reads the items to know their old values. It also reads an
// item before the first plain write of that item. All reads are strongly consistent. The package does not see
// writes that reach the engine another way. Sort keys must be strings. ConsumedCapacity is the engine's. All items of a
// batch or page are read at one instant, whereas DynamoDB promises this only for each item.
package visibility
