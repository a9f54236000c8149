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
// All transports of one Limits share its tables. What no limit applies to, and what it does not understand, passes
// byte by byte. It meters everything: Snapshot has requests, units, throttles and conflicts by operation and by who
// asked, and the hottest partitions. The engine is asked to describe each table once, and for the consumed capacity of
// every request, so that a request's body is not what its signature was made for; local engines don't look.
//
// # What is limited
//
// Capacity: every partition serves PartitionRead and PartitionWrite units a second, and every table TableRead and
// TableWrite. A table just made has four partitions (Fresh), over which a hash spreads the values of its partition key:
// two hot keys may share one. Without Partitions, every key has a partition of its own, which is the best that adaptive
// capacity can do for it (Developer Guide, "DynamoDB burst and adaptive capacity"). A bucket holds the units of one
// second: a table just made has saved nothing, and burst capacity does not raise a partition's limit (AWS re:Post, "How
// does DynamoDB handle spiky workloads in short intervals").
//
// A request is let in while its buckets are above zero; then it is charged what it really took. So the last unit of a
// partition admits a page of 1 MB, 256 units, and the partition is in debt. Other reads wait until it has paid: pages
// get through while single reads starve. Debt has a bound: a request that takes more units of a partition than a second
// of it has is throttled for ever, and takes nothing (Counts.TooLarge). Such a write does not reach the engine; such a
// page is dropped once its size is known. Scale does not divide this bound, since it divides no request either.
//
// Items of a batch are let in one by one, those of a transaction together. Units are those that the engine reports, but
// at least those of the documentation. A key of a BatchGetItem is one unit, also for an absent item (half of one for an
// eventually consistent read). A Query is the sum of its items. A write counts the larger of the old and the new item.
// Transactions count twice. Writes that fail for their condition cost the same, and so do transactions that are
// cancelled for anything but throttling.
//
// Conflicts: the items of a TransactWriteItems, condition checks too, are held from its acceptance until the engine
// has answered and Hold has passed; its client is not told before. Another transaction that names one of them is
// cancelled at once, a plain write refused, a write of a batch left unprocessed. GetItem, BatchGetItem, Query and
// Scan never conflict. The same ClientRequestToken while it is under way is a TransactionInProgressException; one
// that has succeeded within ten minutes only reads.
//
// Latencies: every answer takes at least what is drawn from its range. Refusals take as long as a plain write or a
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
// A commit that becomes visible item by item: here a transaction is seen whole as soon as the engine has applied it,
// and its hold ends by the clock. Package visibility has commits whose items are shown one by one, as its driver says
// so, and neither clock nor capacity; a server of package dynamo has both.
//
// Burst capacity: DynamoDB may let up to 300 seconds of unused capacity pass at once, and promises nothing. Growth: a
// busy on-demand table gets more partitions within minutes, and a partition that is hot at several keys, or sort keys,
// is split. DynamoDB's own hash function, which is not public: other keys share a partition there. AWS's support pages
// speak of 3,000 reads or 1,000 writes "or a linear combination of both" a partition; here reads and writes don't take
// from each other. Indexes: their cost is not charged, and a Query or Scan of one is not limited. The 16 MB that a
// BatchGetItem returns at most, and the 1 MB of one partition. Sizes of item collections, availability, eventually
// consistent reads that are late, and PartiQL.
//
// A request's cost is known once the engine has answered. Each of several simultaneous requests is admitted at its
// least cost, so together they may make more debt than one. Updates, deletes and condition checks of a large item, and
// the keys of a BatchGetItem, may get past the bound for the same reason. The request decides how a transaction's units
// are spread over its items, because neither engines nor DynamoDB report it. A part of an update of a large item may be
// charged to the transaction's other updates and checks.
package capacity
