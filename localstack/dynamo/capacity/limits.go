package capacity

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Limits simulates the limits of one account's tables. It is safe for concurrent use.
type Limits struct {
	clock     Clock
	who       func(*http.Request) string
	hold      time.Duration
	capacity  *capacity
	latencies latencies
	meter     *meter
	tables    *protocol.Tables

	mu   sync.Mutex
	held holds.Table
}

// New returns Limits with the options o. All buckets are full, no item is held, and all counts are zero.
func New(o Options) *Limits {
	l := &Limits{
		clock: o.Clock, who: o.Who, hold: o.Hold, capacity: newCapacity(o), meter: &meter{rows: map[asker]*Counts{}},
		tables: &protocol.Tables{},
	}
	if o.Latency {
		l.latencies = cloud
	}
	if l.clock == nil {
		l.clock = machineClock{}
	}
	if l.who == nil {
		l.who = func(*http.Request) string { return "" }
	}
	return l
}

// Transport returns a RoundTripper that applies the limits to requests, and sends admitted requests to the engine with
// next. Several transports of one Limits share the capacity, the holds and the counts.
func (l *Limits) Transport(next http.RoundTripper) http.RoundTripper {
	return transport{protocol.Engine{Next: next, Tables: l.tables}, l}
}

// Snapshot returns a copy of the counts.
func (l *Limits) Snapshot() Snapshot { return l.meter.snapshot() }

// Reset sets the counts to zero. It does not change buckets and holds.
func (l *Limits) Reset() { l.meter.reset() }

type transport struct {
	protocol.Engine
	*Limits
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := &call{transport: t, asker: asker{t.who(r), protocol.Operation(r)}, began: t.clock.Now()}
	t.meter.count(c.asker, Counts{Requests: 1})
	var err error
	if c.Request, err = t.Parse(r); err != nil {
		return nil, err
	}
	if !c.Understood() {
		return t.Pass(c.Request)
	}
	if c.Changes() {
		c.direction = write
	}
	return c.serve()
}

// answer is an engine's answer, with the capacity that it reports.
type answer struct {
	*protocol.Answer
	consumed []consumed
}

// consumed is the number of capacity units that the engine reports for a table.
type consumed struct {
	TableName     string
	CapacityUnits float64
}

// send sends a body to the engine, asks for a report of the consumed capacity, and returns the response. If the client
// has not requested the report, send removes the report from the response.
func (c *call) send(body []byte) (*answer, error) {
	asked := strings.Trim(string(protocol.MemberOf(body, "ReturnConsumedCapacity")), `"`)
	if asked == "" || asked == "NONE" {
		asked = ""
		body = protocol.With(body, protocol.Named("ReturnConsumedCapacity", []byte(`"TOTAL"`)))
	}
	sent, err := c.Send(c.HTTP, body)
	if err != nil {
		return nil, err
	}
	a := &answer{Answer: sent}
	if !a.OK() {
		return a, nil
	}
	a.consumed = consumedOf(a.Body)
	if asked == "" && a.consumed != nil {
		a.Body = protocol.Without(a.Body, "ConsumedCapacity")
	}
	return a, nil
}
