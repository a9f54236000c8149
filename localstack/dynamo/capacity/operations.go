package capacity

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// call is one request while the transport serves it.
type call struct {
	transport
	asker
	*protocol.Request
	direction direction
	began     time.Time
	items     []item   // the items of takes
	admitted  []demand // the admitted units of each item; 0 for a refused key of a batch
	left      []bool   // for each item, whether it is a refused key of a batch
}

// perTransaction is the factor for the cost of an item in a transaction. The item is read or written twice, to prepare
// and to commit (Developer Guide, "DynamoDB transactions: how it works", capacity management).
const perTransaction = 2

// takes returns the items that the request names, with their costs. A Query or Scan is one item here: it costs the sum
// of the items that it reads, up to 1 MB, before filters and projections. A Scan reads all partitions, so only the
// table's capacity limits it.
func (c *call) takes() (items []item) {
	if c.Schema != nil {
		return []item{toRead(protocol.Key{Table: c.Reads[0].Table, PK: c.Reads[0].PK}, c.Body)}
	}
	for _, i := range c.Items {
		var one item
		switch {
		case c.direction == write:
			one = toWrite(i)
		case c.transaction():
			one = toRead(i.Key, []byte(`{"ConsistentRead":true}`))
		default:
			one = toRead(i.Key, i.Parameters)
		}
		if c.transaction() {
			one.least *= perTransaction
			one.weight *= perTransaction
		}
		items = append(items, one)
	}
	return items
}

func (c *call) transaction() bool { return strings.HasPrefix(c.operation, "Transact") }

// serve admits a request, refuses it, or refuses some keys of a batch, and returns the response. DynamoDB treats each
// key of a batch as a request of its own (Developer Guide, "Error handling", batch operations). If it can serve no key,
// it refuses the whole batch (API Reference, BatchGetItem).
func (c *call) serve() (*http.Response, error) {
	c.items = c.takes()
	c.admitted, c.left = demands(c.items), make([]bool, len(c.items))
	limits, ok := c.capacity.admit(c.clock.Now(), c.direction, c.admitted, c.Batch == nil)
	if !ok {
		return c.throttle(limits)
	}
	for i, l := range limits {
		if l != unlimited {
			c.left[i], c.admitted[i].units = true, 0
		}
	}
	hold, refused := c.acquire()
	if refused != nil {
		return c.refuse(*refused)
	}
	body := c.Body
	if slices.Contains(c.left, true) {
		body = protocol.With(body, protocol.Named("RequestItems", c.Batch.Where(func(i int) bool { return !c.left[i] }).JSON()))
	}
	a, err := c.send(body)
	taken := c.admitted // without an answer, the engine may have applied the request
	if err == nil {
		taken = c.took(a)
	}
	if limits, large := c.largeRead(taken); large {
		c.giveBack()
		return c.throttle(limits)
	}
	c.settle(taken)
	total := c.latency(a, taken)
	if hold != nil {
		total = max(total, c.release(hold, err == nil && a.OK()))
	}
	if err != nil {
		return nil, err
	}
	if c.Batch != nil && a.OK() {
		a.Body = c.leaveOut(a.Body)
	}
	return c.deliver(a.Deliver(), total)
}

// largeRead reports whether a read has consumed more units of a partition than the partition can ever serve at once.
// The result limits then has the reason for each item. large is always false for a write, and for a BatchGetItem, whose
// keys are admitted one by one.
func (c *call) largeRead(taken []demand) (limits []limit, large bool) {
	if c.Changes() || c.Batch != nil {
		return nil, false
	}
	limits = make([]limit, len(taken))
	for i, load := range c.capacity.loads(taken, true) {
		if c.capacity.tooLarge(read, load) {
			limits[i], large = tooLarge, true
		}
	}
	return limits, large
}

// throttle counts a request as throttled, and returns the refusal for capacity.
func (c *call) throttle(limits []limit) (*http.Response, error) {
	counts := Counts{Throttled: 1}
	if slices.Contains(limits, tooLarge) {
		counts.TooLarge = 1
	}
	c.meter.count(c.asker, counts)
	return c.refuse(c.throttled(limits))
}

// throttled returns the response to a request that exceeds a capacity (Developer Guide, "Diagnosing throttling"). For a
// transaction, it has a code for each item: ThrottlingError, TransactionConflict or None.
func (c *call) throttled(limits []limit) protocol.Refusal {
	if c.transaction() {
		codes, conflicts := make([]string, len(limits)), c.conflicts()
		for i := range codes {
			switch { // the code of on-demand tables
			case limits[i] != unlimited:
				codes[i] = "ThrottlingError"
			case conflicts != nil && conflicts[i]:
				codes[i] = "TransactionConflict"
			default:
				codes[i] = "None"
			}
		}
		return protocol.Cancelled(codes...)
	}
	if limits[0] == tableLimit {
		return protocol.TableThrottled()
	}
	return protocol.PartitionThrottled()
}

// acquire refuses a write or a transaction that names items which another transaction holds. For a TransactWriteItems,
// acquire also holds the items until release, unless Options.Hold is 0. If a transaction with the same token is
// running, acquire refuses the request at no cost.
func (c *call) acquire() (hold *holds.Hold, refused *protocol.Refusal) {
	var conflicts []bool
	switch {
	case c.operation == "TransactWriteItems" && c.hold > 0:
		var came holds.Outcome
		c.mu.Lock()
		hold, conflicts, came = c.held.Acquire(c.clock.Now(), c.Token, c.Keys())
		c.mu.Unlock()
		switch came {
		case holds.Repeated:
			c.repeats()
		case holds.InProgress:
			c.giveBack()
			c.meter.count(c.asker, Counts{InProgress: 1})
			return nil, &protocol.InProgress
		}
	case c.direction == write || c.transaction():
		conflicts = c.conflicts()
	}
	if conflicts == nil {
		return hold, nil
	}
	c.meter.count(c.asker, Counts{Conflicts: 1})
	c.settle(c.admitted)
	if c.transaction() {
		return nil, new(protocol.Conflicts(conflicts))
	}
	return nil, &protocol.Conflict
}

// conflicts reports, for each item, whether a transaction holds it. If none is held, conflicts returns nil.
func (c *call) conflicts() []bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held.Conflicts(c.clock.Now(), c.Keys())
}

// repeats charges a transaction as a read, because a transaction with the same token has succeeded before. The engine
// then writes nothing (API Reference, TransactWriteItems, ClientRequestToken).
func (c *call) repeats() {
	c.giveBack()
	c.direction = read
	for i := range c.items {
		c.items[i].least, c.items[i].weight, c.items[i].open = perTransaction, perTransaction, true
	}
	c.admitted = demands(c.items)
	c.capacity.charge(c.clock.Now(), read, c.admitted)
}

// release sets the end of a hold: the time Hold after its beginning, or now if that is later. It returns the time from
// the call's beginning to that end, because the client gets its response only then.
func (c *call) release(hold *holds.Hold, succeeded bool) time.Duration {
	now, until := c.clock.Now(), hold.Since.Add(c.hold)
	if until.Before(now) {
		until = now
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.End(hold, until, succeeded)
	return until.Sub(c.began)
}

// took returns the units that each item has cost, or zeros if the engine did not execute the request. If a condition
// has failed, the item costs its admitted units. If the response shows a larger item, its size counts.
func (c *call) took(a *answer) []demand {
	taken := slices.Clone(c.admitted)
	inTheWay := func(i int, answer []byte, times float64) {
		taken[i].units = max(taken[i].units, times*unitsFor(itemSize(protocol.MemberOf(answer, "Item")), writeUnit))
	}
	switch {
	case a.OK():
		c.weigh(a)
		var sent []item
		for i, one := range c.items {
			if !c.left[i] {
				sent = append(sent, one)
			}
		}
		shares := share(sent, a.consumed)
		for i := range taken {
			if !c.left[i] {
				taken[i], shares = shares[0], shares[1:]
			}
		}
		return taken
	case a.Failed("ConditionalCheckFailedException"):
		inTheWay(0, a.Body, 1)
		return taken
	case a.Failed("TransactionCanceledException"):
		i := 0
		_ = protocol.Values(protocol.MemberOf(a.Body, "CancellationReasons"), func(reason []byte) error {
			if i < len(taken) {
				inTheWay(i, reason, perTransaction)
			}
			i++
			return nil
		})
		return taken
	}
	return make([]demand, len(taken))
}

// If a TransactGetItems or BatchGetItem cost more than the least, weigh takes the sizes of its items from the response.
// For a BatchGetItem whose projection leaves out the keys, the sizes remain unknown.
func (c *call) weigh(a *answer) {
	if c.direction == write || c.Schema != nil || c.operation == "GetItem" {
		return
	}
	var more float64
	for _, one := range a.consumed {
		more += one.CapacityUnits
	}
	for _, one := range c.items {
		more -= one.least
	}
	if more <= 0 {
		return
	}
	responses := protocol.MemberOf(a.Body, "Responses")
	weigh := func(i int, raw []byte) {
		if i >= 0 && i < len(c.items) {
			c.items[i].least *= unitsFor(itemSize(raw), readUnit)
			c.items[i].weight = c.items[i].least
		}
	}
	i := 0
	_ = protocol.Values(responses, func(one []byte) error {
		weigh(i, protocol.MemberOf(one, "Item"))
		i++
		return nil
	})
	_ = protocol.Members(responses, func(m protocol.Member) error {
		return protocol.Values(m.Value, func(raw []byte) error {
			weigh(slices.IndexFunc(c.Items, func(i protocol.Item) bool {
				k, err := i.Schema.Key(raw)
				return err == nil && i.Name == m.Name && i.Key == k
			}), raw)
			return nil
		})
	})
}

// leaveOut adds the refused keys of a batch to the unprocessed part of a response, and counts all unprocessed keys.
func (c *call) leaveOut(answer []byte) []byte {
	answer, left := protocol.LeaveOut(c.operation, answer, c.Batch.Where(func(i int) bool { return c.left[i] }))
	c.meter.count(c.asker, Counts{Unprocessed: left.Len()})
	return answer
}

// settle charges the difference between a request's admitted cost and its real cost, taken. It counts the real cost.
func (c *call) settle(taken []demand) {
	correction := make([]demand, len(taken))
	for i, one := range c.admitted {
		correction[i] = demand{one.partition, taken[i].units - one.units}
	}
	c.capacity.charge(c.clock.Now(), c.direction, correction)
	c.meter.consumed(c.asker, c.direction, taken)
	if c.direction == write {
		c.meter.count(c.asker, Counts{Largest: slices.Max(c.capacity.loads(taken, c.Batch == nil))})
	}
}

// giveBack undoes an admission.
func (c *call) giveBack() { c.settle(make([]demand, len(c.admitted))) }

// latency returns the shortest time that the response to the request may take.
func (c *call) latency(a *answer, taken []demand) time.Duration {
	switch {
	case c.transaction():
		return c.latencies.transaction.draw()
	case c.direction == write:
		return c.latencies.write.draw()
	case a == nil || !a.OK():
		return c.latencies.ofRead(0)
	case c.Batch != nil:
		return c.latencies.ofRead(float64(len(a.Body)) / megabyte)
	}
	return c.latencies.ofRead(shareOfAPage(taken[0].units / c.items[0].least))
}

// refuse returns the response to a refused request, after the time of a plain write or a small read.
func (c *call) refuse(refused protocol.Refusal) (*http.Response, error) {
	total := c.latencies.ofRead(0)
	if c.direction == write {
		total = c.latencies.write.draw()
	}
	return c.deliver(refused.Respond(c.HTTP), total)
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
