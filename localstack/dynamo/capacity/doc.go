// Package capacity gives a local DynamoDB the limits of the cloud, which no local engine has. Partitions and tables
// serve a number of units a second and throttle the rest. Transactions hold their items and cancel others. Answers take
// time. It stands before any engine that speaks DynamoDB's JSON protocol, as the transport of a reverse proxy or of a
// client:
//
//	l := capacity.New(capacity.Fresh())
//	transport := l.Transport(http.DefaultTransport)
//	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: ...}
//	client := dynamodb.New(dynamodb.Options{HTTPClient: &http.Client{Transport: transport}, ...})
//
// All transports of one Limits share its tables. Requests without a limit, or in an unknown form, pass byte by byte. It
// meters everything: Snapshot has requests, units, throttles and conflicts by operation and by client, and the hottest
// partitions. It asks the engine to describe each table once, and to report the consumed capacity of every request.
// That changes a request's body, so that its signature is wrong; local engines do not check signatures.
//
// # The limits
//
// Capacity: every partition serves PartitionRead and PartitionWrite units a second, and every table TableRead and
// TableWrite. A new table has four partitions (Fresh), over which a hash distributes the values of its partition key:
// two hot keys may share one. Without Partitions, every key has a partition of its own, which is the best case of
// adaptive capacity (Developer Guide, "DynamoDB burst and adaptive capacity"). A bucket holds the units of one second.
// A new table has saved nothing, and burst capacity does not raise a partition's limit (AWS re:Post, "How does DynamoDB
// handle spiky workloads in short intervals").
//
// A request is admitted if its buckets are above zero. Then it is charged its real cost. So the last unit of a
// partition admits a page of 1 MB, 256 units, and the partition is in debt. Other reads wait until it has paid: pages
// get through while single reads starve. Debt is bounded. A request that takes more units of a partition than it has in
// a second is always throttled, and takes nothing (Counts.TooLarge). Such a write does not reach the engine; such a
// page is dropped when its size is known. Scale does not divide this bound, since it divides no request either.
//
// Items of a batch are admitted one by one, those of a transaction together. Units are those that the engine reports,
// but at least those of the documentation. A key of a BatchGetItem is one unit, also for a missing item (half a unit if
// the read is eventually consistent). A Query is the sum of its items. A write counts the larger of the old and the new
// item. Transactions count twice. Writes with a failed condition cost the same, and so do transactions that are
// cancelled for anything but throttling.
//
// Conflicts: the items of a TransactWriteItems, and of its condition checks, are held from its acceptance until the
// engine has answered and Hold has passed. Its client gets the answer only then. Another transaction with one of them
// is cancelled at once, a plain write is refused, and a write of a batch stays unprocessed. GetItem, BatchGetItem,
// Query and Scan never conflict. The same ClientRequestToken during the transaction is a
// TransactionInProgressException; one that has succeeded within ten minutes only reads.
//
// Latencies: every answer takes at least a random time from its range. Refusals take as long as a plain write or a
// small read.
//
// # The answers to clients
//
//	                  a partition                             the table             a conflict
//	GetItem, Query    ProvisionedThroughputExceededException  ThrottlingException   never
//	Scan              never                                   ThrottlingException   never
//	plain writes      ProvisionedThroughputExceededException  ThrottlingException   TransactionConflictException
//	BatchGetItem      UnprocessedKeys; if all, as GetItem     the same              never
//	BatchWriteItem    UnprocessedItems; if all, as PutItem    the same              UnprocessedItems
//	transactions      TransactionCanceledException,           the same              TransactionCanceledException,
//	                  ThrottlingError                                               TransactionConflict
//
// # What is not modelled
//
// A commit that becomes visible item by item. Here a transaction is visible as a whole when the engine has applied it,
// and its hold ends by the clock. Package visibility has commits whose items become visible one by one, as its driver
// decides, without clock and capacity. A server of package dynamo has both.
//
// Burst capacity: DynamoDB may allow up to 300 seconds of unused capacity at once, and promises nothing. Growth: a busy
// on-demand table gets more partitions within minutes, and a partition with several hot keys, or sort keys, is split.
// DynamoDB's own hash function, which is not public: other keys share a partition there. AWS's support pages speak of
// 3,000 reads or 1,000 writes "or a linear combination of both" a partition; here reads and writes are independent.
// Indexes: their cost is not charged, and a Query or Scan of one is not limited. The limit of 16 MB for a BatchGetItem,
// and of 1 MB for one partition. Sizes of item collections, availability, stale eventually consistent reads, and
// PartiQL.
//
// A request's cost is known when the engine has answered. Each of several concurrent requests is admitted at its least
// cost, so together they may make more debt than one. For the same reason, updates, deletes and condition checks of a
// large item may exceed the bound, and so may the keys of a BatchGetItem. The request decides how a transaction's units
// are distributed over its items, because neither engines nor DynamoDB report it. A part of an update of a large item
// may be charged to the transaction's other updates and checks.
package capacity
