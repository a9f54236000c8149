// Package visibility gives a local DynamoDB the cloud's two-phase commit, which no local engine has: transactions hold
// their items, conflict with others, and become visible item by item. It decides nothing by itself. Its driver decides
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
// visible. A read of a hidden item returns it as it was before. A visible item stays visible. A condition check hides
// nothing, but conflicts until the commit ends. A visible item is free for others, though its commit is still open:
// DynamoDB releases items one by one, too.
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
// This package assembles a page with hidden items. It reads the whole partition or table from the engine, without
// limit, filter and projection, and evaluates the expressions itself. It does not support functions beyond begins_with,
// attribute_exists and attribute_not_exists, indexes of lists, legacy parameters and secondary indexes. It refuses
// these with a ValidationException, but only while an item in the range is hidden. It always refuses PartiQL. If no
// item in the range is hidden, the engine's answer passes unchanged.
//
// Pages of a Scan are in the engine's order. A hidden item that the engine has deleted comes before its successor in
// the engine. So an engine must accept an ExclusiveStartKey that does not exist, as DynamoDB does. Segments of a Scan
// are the simulator's own, whether items are hidden or not, and each reads the whole table.
//
// # What is not modelled
//
// Time: package dynamo makes items visible by the clock, and package capacity has capacity and latencies. This package
// reads before-images before each transaction (and, with a Journal, before each plain write). All reads are strongly
// consistent. It does not see writes that bypass it. Keys that are numbers must be written alike everywhere: 1 and 1.0
// are two. ConsumedCapacity is the engine's. A batch of reads, and a page, show one instant. DynamoDB promises that
// only for each item.
package visibility
