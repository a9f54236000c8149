package capacity

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// call is one request while the transport serves it.
type call struct {
	transport
	*protocol.Request
	from    source
	began   time.Time
	items   []item
	refused []bool // for each of the items
}

// item is one item that a request reads or writes. A Query or Scan is one item here, because it costs the sum of the
// items that it reads.
type item struct {
	place
	least float64 // the least units by the documentation
}

// perTransaction is the factor for the cost of an item in a transaction. The item is read or written twice, to prepare
// and to commit (Developer Guide, "DynamoDB transactions: how it works", capacity management).
const perTransaction = 2

func (c *call) transaction() bool { return strings.HasPrefix(c.Operation, "Transact") }

// named returns the items that the request names, with their least costs (Developer Guide, "DynamoDB read and write
// operations").
func (c *call) named() (items []item) {
	least := 1.0
	switch {
	case c.transaction():
		least = perTransaction
	case !c.Changes() && !c.Consistent:
		least = 0.5
	}
	if len(c.Items) == 0 {
		return []item{{place{false, c.buckets.partitionOf(c.Reads[0].PK)}, least}}
	}
	for _, i := range c.Items {
		items = append(items, item{place{c.Changes(), c.buckets.partitionOf(i.PK)}, least})
	}
	return items
}

// serve admits a request, refuses it, or refuses some keys of a batch, and returns the response.
func (c *call) serve() (*http.Response, error) {
	if refused := c.admit(); refused != nil {
		return c.refuse(*refused)
	}
	hold, refused := c.acquire()
	if refused != nil {
		return c.refuse(*refused)
	}
	a, err := c.send()
	if err != nil { // the engine may have applied the request
		c.charge(0)
		c.release(hold, false)
		return nil, err
	}
	switch {
	case a.OK():
		c.charge(units(a.Body))
	case a.Failed("ConditionalCheckFailedException") || a.Failed("TransactionCanceledException"):
		c.charge(0)
	}
	total := max(c.latency(a), c.release(hold, a.OK()))
	a.Body = protocol.Without(a.Body, "ConsumedCapacity")
	if c.isBatch() && a.OK() {
		a.Body = protocol.LeaveOut(a.Body, c.Batch.Where(c.isRefused))
	}
	return c.deliver(a.Deliver(), total)
}

func (c *call) isBatch() bool { return c.Batch.Len() > 0 }

func (c *call) isRefused(i int) bool { return c.refused[i] }

// admit returns the refusal of a request for capacity, or nil. DynamoDB treats each key of a batch as a request of its
// own (Developer Guide, "Error handling", batch operations). If it can serve no key, it refuses the whole batch (API
// Reference, BatchGetItem).
func (c *call) admit() *protocol.Refusal {
	c.mu.Lock()
	c.items = c.named()
	for _, one := range c.items {
		c.refused = append(c.refused, c.buckets.refuses(one.place, c.clock.Now()))
	}
	c.mu.Unlock()
	if !slices.Contains(c.refused, true) || c.isBatch() && slices.Contains(c.refused, false) {
		return nil
	}
	c.count(Counts{Throttled: 1})
	if c.transaction() { // with the code of on-demand tables
		return new(protocol.CancelledFor("ThrottlingError", c.refused))
	}
	return &protocol.PartitionThrottled
}

// acquire refuses a write or a transaction that names items which another transaction holds. For a TransactWriteItems,
// acquire also holds the items until release, unless Options.Hold is 0. The hold is nil for a repetition of a
// transaction that has succeeded. If a transaction with the same token is running, the refusal costs nothing.
func (c *call) acquire() (hold *holds.Hold, refused *protocol.Refusal) {
	var conflicts []bool
	came := holds.Held
	c.mu.Lock()
	switch {
	case c.Operation == "TransactWriteItems" && c.hold > 0:
		hold, conflicts, came = c.held.Acquire(c.clock.Now(), c.Token, c.Keys())
	case c.Changes() || c.transaction():
		conflicts = c.held.Conflicts(c.clock.Now(), c.Keys())
	}
	c.mu.Unlock()
	switch {
	case came == holds.InProgress:
		return nil, &protocol.InProgress
	case conflicts == nil:
		return hold, nil
	}
	c.count(Counts{Conflicts: 1})
	c.charge(0)
	if c.transaction() {
		return nil, new(protocol.CancelledFor("TransactionConflict", conflicts))
	}
	return nil, &protocol.Conflict
}

// release sets the end of a hold: the time Hold after its beginning, or now if that is later. It returns the time from
// the call's beginning to that end, because the client gets its response only then. Without a hold it returns 0.
func (c *call) release(hold *holds.Hold, succeeded bool) time.Duration {
	if hold == nil {
		return 0
	}
	now, until := c.clock.Now(), hold.Since.Add(c.hold)
	if until.Before(now) {
		until = now
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.End(hold, until, succeeded)
	return until.Sub(c.began)
}

// send sends the request to the engine, without the refused keys of a batch, and asks for a report of the consumed
// capacity.
func (c *call) send() (*protocol.Answer, error) {
	body := protocol.With(c.Body, protocol.Member{Name: "ReturnConsumedCapacity", Value: `"TOTAL"`})
	if c.isBatch() {
		body = c.Batch.Where(func(i int) bool { return !c.isRefused(i) }).In(body, "RequestItems")
	}
	return c.Send(c.HTTP, body)
}

// units returns the capacity units that the engine reports in a response, for one table or for several.
func units(body []byte) (sum float64) {
	for _, table := range gjson.GetBytes(body, "ConsumedCapacity").Array() {
		sum += table.Get("CapacityUnits").Num
	}
	return sum
}

// charge charges and counts the least cost of the admitted items, and what the engine has reported above that. An
// engine reports only the total, and less than the documentation states: DynamoDB Local, for example, does not count
// missing items and condition checks.
func (c *call) charge(reported float64) {
	sum, partitions, admitted := 0.0, map[place]float64{}, []item(nil)
	for i, one := range c.items {
		if !c.refused[i] {
			admitted = append(admitted, one)
			reported -= one.least
		}
	}
	more := max(0, reported) / float64(len(admitted))
	c.mu.Lock()
	for _, one := range admitted {
		c.buckets.take(one.place, one.least+more, c.clock.Now())
		sum += one.least + more
		partitions[one.place] += one.least + more
	}
	c.mu.Unlock()
	if !c.Changes() {
		c.count(Counts{Read: sum})
		return
	}
	counts := Counts{Written: sum}
	for _, units := range partitions {
		counts.Largest = max(counts.Largest, units)
	}
	c.count(counts)
}

// refuse returns the response to a refused request.
func (c *call) refuse(refused protocol.Refusal) (*http.Response, error) {
	return c.deliver(refused.Respond(c.HTTP), c.latency(nil))
}

// deliver returns the response when total, the request's latency, has passed since the request began.
func (c *call) deliver(response *http.Response, total time.Duration) (*http.Response, error) {
	if left := total - c.clock.Now().Sub(c.began); left > 0 {
		if err := c.clock.Sleep(c.HTTP.Context(), left); err != nil {
			return nil, err
		}
	}
	return response, nil
}
