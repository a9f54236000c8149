// Package capacity gives a local DynamoDB the limits of the cloud, which no local engine has. Partitions and tables
// serve a limited number of units a second and throttle further requests. A transaction holds (locks) its items: other
// transactions with these items are cancelled, and plain writes refused. Responses take time. The package works with
// any engine that speaks DynamoDB's JSON protocol, as the transport of a reverse proxy or of a client:
//
//	l := capacity.New(capacity.Fresh())
//	transport := l.Transport(http.DefaultTransport)
//	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: ...}
//	client := dynamodb.New(dynamodb.Options{HTTPClient: &http.Client{Transport: transport}, ...})
//
// All transports of one Limits share its capacity, holds and counts. Requests that concern no items, or whose form the
// package does not know, reach the engine unchanged. A Snapshot has the counts of requests, units, throttled requests
// and conflicts by operation and by client. The package asks the engine to describe each table once, and to report the
// consumed capacity of every request. This makes the request's signature wrong, which local engines do not check.
//
// # The limits
//
// Capacity: every partition serves PartitionRead and PartitionWrite units a second, and every table serves TableRead
// and TableWrite units a second. A new table has four partitions (Fresh). A hash distributes the values of the
// partition key over the partitions, so two busy keys may share a partition. If Partitions is 0, every key has a
// partition of its own, which is the best case of adaptive capacity (Developer Guide, "DynamoDB burst and adaptive
// capacity"). A bucket holds at most the units of one second: burst capacity is not modelled. It does not raise a
// partition's limit (AWS re:Post, "How does DynamoDB handle spiky workloads in short intervals").
//
// A request is admitted if the levels of its buckets are above zero, and is then charged its real cost. So the last
// unit of a partition can admit a strongly consistent page of 1 MB. The page costs 256 units and puts the partition
// into debt. Until the debt is paid, the partition refuses all other reads. Debt is bounded. A request that takes more
// units from a partition than the partition serves in a second is always throttled, and costs nothing
// (Counts.TooLarge). Such a write does not reach the engine. The answer to such a read is dropped when its size is
// known. Scale does not divide this bound, because Scale does not make requests smaller either.
//
// The keys of a batch are admitted one by one, and the items of a transaction together. The package charges the units
// that the engine reports, but at least the units that the documentation states. Each key of a BatchGetItem costs at
// least one unit, even if the item is missing (half a unit if the read is eventually consistent). A Query costs the sum
// of the items that it reads. A write costs the larger of the old and the new item. Items of transactions cost twice as
// much. A write with a failed condition costs the same. So does a cancelled transaction, unless the reason is
// throttling.
//
// Conflicts: a TransactWriteItems holds its items, including those of its condition checks, from its admission until
// the engine has answered and the time Hold has passed. Its client gets the response only then. If another transaction
// names a held item, the package cancels that transaction at once. It refuses a plain write of a held item. GetItem,
// BatchGetItem, Query and Scan never conflict. A request with the ClientRequestToken of a running transaction fails
// with a TransactionInProgressException. If that transaction has succeeded in the last nine minutes, the request only
// reads.
//
// Latency: every response takes at least a random time from its range. A refusal takes as long as a write or small
// read.
//
// # The answers to clients
//
//	                  a partition                             the table             a conflict
//	GetItem, Query    ProvisionedThroughputExceededException  ThrottlingException   never
//	Scan              never                                   ThrottlingException   never
//	plain writes      ProvisionedThroughputExceededException  ThrottlingException   TransactionConflictException
//	BatchGetItem      UnprocessedKeys; if all, as GetItem     the same              never
//	transactions      TransactionCanceledException,           the same              TransactionCanceledException,
//	                  ThrottlingError                                               TransactionConflict
//
// # What is not modelled
//
// A transaction becomes visible as a whole when the engine has applied it: package visibility shows items one by one,
// but has no clock and no capacity. The package has no burst capacity, which DynamoDB does not promise, and no growth:
// DynamoDB gives a busy table more partitions within minutes. DynamoDB's hash function is not public, so in the cloud
// other keys share a partition. Reads and writes are independent, without "a linear combination of both". The package
// leaves out indexes, the limit of 16 MB for a BatchGetItem, sizes of item collections, and stale reads. It refuses
// BatchWriteItem and PartiQL, which Ranch does not use.
//
// The exact cost of a request is known only after the engine has answered. So concurrent requests together may make
// more debt than one request can, and updates, deletes and condition checks of a large item may exceed the bound.
// Engines do not report the units of each item of a transaction. The package distributes the total according to the
// sizes in the request.
package capacity
