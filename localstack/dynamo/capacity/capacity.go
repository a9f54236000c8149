// Package capacity gives a table of a local DynamoDB the limits of the cloud, which no local engine has. Partitions
// serve a limited number of units a second and throttle further requests. A transaction holds (locks) its items: other
// transactions with these items are cancelled, and plain writes refused. Responses take time. The package works with
// any engine that speaks DynamoDB's JSON protocol, as the transport of a reverse proxy or of a client:
//
//	l := capacity.New(capacity.Fresh())
//	client := dynamodb.New(dynamodb.Options{HTTPClient: &http.Client{Transport: l.Transport(next)}, ...})
//
// Requests that concern no items, or whose form the package does not know, reach the engine unchanged. The package asks
// the engine to report the consumed capacity of every request. This makes the request's signature wrong, which local
// engines do not check.
//
// # The limits
//
// Capacity: every partition serves its units a second. A hash distributes the values of the partition key over the
// partitions, so two busy keys may share a partition. If Partitions is 0, every key has a partition of its own, which is
// the best case of adaptive capacity (Developer Guide, "DynamoDB burst and adaptive capacity"). A bucket holds at most
// the units of one second: burst capacity does not raise a partition's limit (AWS re:Post, "How does DynamoDB handle
// spiky workloads in short intervals"). The table has no bucket of its own: the limit of a new table is the sum of its
// partitions.
//
// A request is admitted if the levels of its buckets are above zero, and is charged when the engine has answered. So
// the last unit of a partition can admit a strongly consistent page of 1 MB, which costs 256 units, and puts the
// partition into debt. Until the debt is paid, the partition refuses all other reads. The keys of a batch are admitted
// one by one, the items of a transaction together.
//
// The package charges the units that the engine reports, but at least what the documentation states: one unit for each
// item, missing or not, half a unit if the read is eventually consistent, and twice as much in a transaction. What is
// above that is shared equally by the items. A request whose condition fails, or that meets a conflict, costs the
// least.
//
// Conflicts: a TransactWriteItems holds its items, including those of its condition checks, from its admission until
// the engine has answered and the time Hold has passed. Its client gets the response only then. If another transaction
// names a held item, the package cancels that transaction at once. It refuses a plain write of a held item. GetItem,
// BatchGetItem, Query and Scan never conflict. A request with the ClientRequestToken of a running transaction fails
// with a TransactionInProgressException.
//
// # The answers to clients
//
//	                  no capacity                             a conflict
//	GetItem, Query    ProvisionedThroughputExceededException  never
//	Scan              never                                   never
//	plain writes      ProvisionedThroughputExceededException  TransactionConflictException
//	BatchGetItem      UnprocessedKeys; if all, as GetItem     never
//	transactions      TransactionCanceledException,           TransactionCanceledException,
//	                  ThrottlingError                         TransactionConflict
//
// README.md of the folder above says what the model leaves out.
package capacity

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Options are the limits of a table. The zero value has no limits and no delays: requests are only counted.
type Options struct {
	// Partitions is the number of partitions over which the table distributes the values of its partition key, by their
	// hash. 0 gives every value a partition of its own.
	Partitions uint
	// PartitionRead and PartitionWrite are the units a second that every partition serves. 0 means no limit.
	PartitionRead, PartitionWrite float64

	// Hold is the least time, from admission to commit, for which a transaction holds its items. 0 turns conflicts off.
	Hold time.Duration
	// Latency delays responses as the cloud does (latency.go). Without it, they take the engine's time.
	Latency bool

	Clock Clock                        // nil is the machine's
	Who   func(r *http.Request) string // returns the client's name for Counts; nil: all have ""
}

// Clock returns the time, and waits. Tests use one of their own.
type Clock interface {
	Now() time.Time
	// Sleep returns nil after the duration d. If the context ends earlier, Sleep returns the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Fresh returns the options of a new on-demand table, with the latencies of the cloud. A partition serves at most 3,000
// read and 1,000 write units a second (Developer Guide, "Designing partition keys to distribute your workload"). A new
// table serves 12,000 read and 4,000 write units a second ("DynamoDB on-demand capacity mode", initial throughput),
// which is four partitions. A transaction holds its items for 12 ms: the cloud's take 8 to 20 ms.
func Fresh() Options {
	return Options{
		Partitions: 4, PartitionRead: 3_000, PartitionWrite: 1_000, Hold: 12 * time.Millisecond, Latency: true,
	}
}

// machineClock is the real time.
type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Limits simulates the limits of one table. It is safe for concurrent use.
type Limits struct {
	clock Clock
	who   func(*http.Request) string
	hold  time.Duration
	slow  bool // has latencies

	mu      sync.Mutex
	buckets buckets
	held    holds.Table
	counts  map[source]*Counts
}

// New returns Limits with the options o. All buckets are full, no item is held, and all counts are zero.
func New(o Options) *Limits {
	l := &Limits{
		clock: o.Clock, who: o.Who, hold: o.Hold, slow: o.Latency, counts: map[source]*Counts{},
		buckets: buckets{o.Partitions, o.PartitionRead, o.PartitionWrite, map[place]*bucket{}},
	}
	l.clock = cmp.Or[Clock](l.clock, machineClock{})
	if l.who == nil {
		l.who = func(*http.Request) string { return "" }
	}
	return l
}

// Transport returns a RoundTripper that applies the limits to requests, and sends admitted requests to the engine with
// next. Several transports of one Limits share the capacity, the holds and the counts.
func (l *Limits) Transport(next http.RoundTripper) http.RoundTripper {
	return transport{protocol.Engine{Next: next}, l}
}

type transport struct {
	protocol.Engine
	*Limits
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := &call{transport: t, from: source{t.who(r), protocol.Operation(r)}, began: t.clock.Now()}
	c.count(Counts{Requests: 1})
	var err error
	if c.Request, err = protocol.Parse(r); err != nil {
		return nil, err
	}
	if !c.Understood() {
		return t.Pass(c.Request)
	}
	return c.serve()
}
