package capacity

import (
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// throttled is the refusal for capacity (Developer Guide, "Diagnosing throttling"). The reason is the key range for the
// table, too: a table on demand has no level of its own (MaxOnDemand is one that its owner sets, AccountLimit 40,000
// units); a fresh one has four partitions, and they are all busy. Clients must take both for the same.
func throttled(s *protocol.Schema, d direction, l limit) protocol.Refusal {
	reason := protocol.ThrottlingReason{Reason: "TableReadKeyRangeThroughputExceeded", Resource: s.ARN}
	if d == write {
		reason.Reason = "TableWriteKeyRangeThroughputExceeded"
	}
	if l == tableLimit {
		return protocol.TableThrottled(reason)
	}
	return protocol.PartitionThrottled(reason)
}

// admit lets a request for one item in, or says what refuses it.
func (c *call) admit(d direction, one item) (admitted []demand, refused limit) {
	admitted = demands([]item{one})
	limits := c.capacity.admitEach(c.clock.Now(), d, admitted)
	if limits[0] != unlimited {
		c.meter.count(c.asker, Counts{Throttled: 1})
		c.meter.refused(admitted, limits)
	}
	return admitted, limits[0]
}

// read lets a read of one item, of a partition or of the table through, or refuses it. What a page takes is what the
// items that it looks at weigh together, up to 1 MB, whatever it filters and projects. A Scan is in no order of its
// keys: the table's capacity alone limits it.
func (c *call) read() (*http.Response, error) {
	s, k := c.Schema, protocol.Key{Table: c.Reads[0].Table, PK: c.Reads[0].PK}
	if c.Page == nil {
		s = c.Items[0].Schema
	}
	one := toRead(k, c.Body)
	admitted, refused := c.admit(read, one)
	if refused != unlimited {
		return c.refuse(throttled(s, read, refused), c.latencies.read(0))
	}
	ofAPage := 0.0
	a, err := c.try(read, admitted, c.Body, func(a *answer) []demand {
		if !a.OK() {
			return nil
		}
		taken := share([]item{one}, a.consumed)
		ofAPage = shareOfAPage(taken[0].units / one.least)
		return taken
	})
	if err != nil {
		return nil, err
	}
	return c.deliver(a.Deliver(), c.latencies.read(ofAPage))
}

// write lets a PutItem, an UpdateItem or a DeleteItem through, or refuses it.
func (c *call) write() (*http.Response, error) {
	one := toWrite(c.Items[0])
	admitted, refused := c.admit(write, one)
	if refused != unlimited {
		return c.refuse(throttled(c.Items[0].Schema, write, refused), c.latencies.write())
	}
	if c.conflicts() != nil {
		c.settle(write, admitted, admitted)
		c.meter.count(c.asker, Counts{Conflicts: 1})
		return c.refuse(protocol.Conflict, c.latencies.write())
	}
	a, err := c.try(write, admitted, c.Body, func(a *answer) []demand {
		switch {
		case a.OK():
			return share([]item{one}, a.consumed)
		case a.Failed("ConditionalCheckFailedException"):
			inTheWay := unitsFor(itemSize(protocol.MemberOf(a.Body, "Item")), writeUnit)
			return []demand{{one.partition, max(admitted[0].units, inTheWay)}}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c.deliver(a.Deliver(), c.latencies.write())
}

// perTransaction is how much more an item costs in a transaction (Developer Guide, "DynamoDB transactions: how it
// works", capacity management): it is read or written twice, to prepare and to commit. A transaction that does not
// succeed consumes that, too, so that one which meets a conflict or a failed condition costs all of its items. One that
// is throttled was not let in, and costs nothing.
const perTransaction = 2

func twice(one item) item {
	one.least *= perTransaction
	one.weight *= perTransaction
	return one
}

// admitTransaction lets all items in, or returns the refusal. Those that conflict besides are in it.
func (c *call) admitTransaction(d direction, items []item) (admitted []demand, refused *protocol.Refusal) {
	wanted := demands(items)
	limits, ok := c.capacity.admitAll(c.clock.Now(), d, wanted)
	if ok {
		return wanted, nil
	}
	c.meter.count(c.asker, Counts{Throttled: 1})
	c.meter.refused(wanted, limits)
	codes, conflicts := make([]string, len(items)), c.conflicts()
	for i := range codes {
		switch { // ThrottlingError is the code of tables on demand
		case limits[i] != unlimited:
			codes[i] = "ThrottlingError"
		case conflicts != nil && conflicts[i]:
			codes[i] = "TransactionConflict"
		default:
			codes[i] = "None"
		}
	}
	cancelled := protocol.Cancelled(codes...)
	return nil, &cancelled
}

// transactWrite holds the items of a TransactWriteItems, condition checks among them, from here until the engine has
// answered and the time of the hold has passed; the client is not told before.
func (c *call) transactWrite() (*http.Response, error) {
	var items []item
	for _, i := range c.Items {
		items = append(items, twice(toWrite(i)))
	}
	admitted, refused := c.admitTransaction(write, items)
	if refused != nil {
		return c.refuse(*refused, c.latencies.write())
	}
	var hold *holds.Hold
	accepted := c.clock.Now()
	if c.hold > 0 {
		var conflicts []bool
		var came holds.Outcome
		c.mu.Lock()
		hold, conflicts, came = c.held.Acquire(accepted, c.Token, c.Keys())
		c.mu.Unlock()
		switch came {
		case holds.Repeated:
			c.giveBack(write, admitted)
			return c.repeat(items)
		case holds.InProgress:
			c.giveBack(write, admitted)
			c.meter.count(c.asker, Counts{InProgress: 1})
			return c.refuse(protocol.InProgress, c.latencies.write())
		case holds.Conflict:
			c.settle(write, admitted, admitted)
			c.meter.count(c.asker, Counts{Conflicts: 1})
			return c.refuse(protocol.Conflicts(conflicts), c.latencies.write())
		}
	}
	a, err := c.try(write, admitted, c.Body, func(a *answer) []demand {
		switch {
		case a.OK():
			return share(items, a.consumed)
		case a.Failed("TransactionCanceledException"):
			return tried(admitted, a.Body)
		}
		return nil
	})
	total := c.latencies.transaction()
	if hold != nil {
		now, until := c.clock.Now(), accepted.Add(c.hold)
		if until.Before(now) {
			until = now
		}
		c.mu.Lock()
		c.held.End(now, hold, until, err == nil && a.OK())
		c.mu.Unlock()
		total = max(total, until.Sub(c.began))
	}
	if err != nil {
		return nil, err
	}
	return c.deliver(a.Deliver(), total)
}

// tried returns what a transaction takes that a condition has cancelled. If the answer shows an item that was in the
// way, its size is known.
func tried(admitted []demand, body []byte) []demand {
	taken, i := slices.Clone(admitted), 0
	_ = protocol.Values(protocol.MemberOf(body, "CancellationReasons"), func(reason []byte) error {
		if i < len(taken) {
			taken[i].units = max(taken[i].units, perTransaction*unitsFor(itemSize(protocol.MemberOf(reason, "Item")), writeUnit))
		}
		i++
		return nil
	})
	return taken
}

// repeat answers a transaction whose token has succeeded before: nothing is written or held, and what it costs is to
// read the items (API Reference, TransactWriteItems, ClientRequestToken).
func (c *call) repeat(items []item) (*http.Response, error) {
	for i := range items {
		items[i].least, items[i].weight, items[i].open = perTransaction, perTransaction, true
	}
	least := demands(items)
	c.capacity.charge(c.clock.Now(), read, least)
	a, err := c.try(read, least, c.Body, func(a *answer) []demand { return share(items, a.consumed) })
	if err != nil {
		return nil, err
	}
	return c.deliver(a.Deliver(), c.latencies.transaction())
}

// transactGet is cancelled if it names an item of a transaction under way. It holds nothing itself.
func (c *call) transactGet() (*http.Response, error) {
	var items []item
	for _, i := range c.Items {
		items = append(items, twice(toRead(i.Key, []byte(`{"ConsistentRead":true}`))))
	}
	admitted, refused := c.admitTransaction(read, items)
	if refused != nil {
		return c.refuse(*refused, c.latencies.read(0))
	}
	if conflicts := c.conflicts(); conflicts != nil {
		c.settle(read, admitted, admitted)
		c.meter.count(c.asker, Counts{Conflicts: 1})
		return c.refuse(protocol.Conflicts(conflicts), c.latencies.read(0))
	}
	a, err := c.try(read, admitted, c.Body, func(a *answer) []demand {
		if !a.OK() {
			return nil
		}
		i := 0
		_ = protocol.Values(protocol.MemberOf(a.Body, "Responses"), func(one []byte) error {
			if i < len(items) {
				items[i].weight = perTransaction * unitsFor(itemSize(protocol.MemberOf(one, "Item")), readUnit)
			}
			i++
			return nil
		})
		return share(items, a.consumed)
	})
	if err != nil {
		return nil, err
	}
	total := c.latencies.transaction()
	if !a.OK() {
		total = c.latencies.read(0)
	}
	return c.deliver(a.Deliver(), total)
}
