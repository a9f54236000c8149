package capacity

import (
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

const (
	mostTransacted = 100 // items of a transaction; the engine refuses more
	// perTransaction is how much more an item costs in a transaction (Developer Guide, "DynamoDB transactions: how it
	// works", capacity management): it is read or written twice, to prepare and to commit. That is consumed also by a
	// transaction that does not succeed, so that one which meets a conflict or a failed condition costs all of its
	// items. One that is throttled has not been let in, and costs nothing.
	perTransaction = 2
)

// transacted returns the items of a transaction.
func (c *call) transacted(one func(s *protocol.Schema, p parameters) (item, error)) (items []item, token string, err error) {
	err = protocol.Members(c.body, func(m protocol.Member) (err error) {
		switch m.Name {
		case "ClientRequestToken":
			token, err = protocol.Text(m.Value)
		case "TransactItems":
			err = protocol.Values(m.Value, func(action []byte) error {
				return protocol.Members(action, func(m protocol.Member) error {
					p, err := parse(m.Value)
					if err != nil {
						return err
					}
					s, err := c.schema(p.table)
					if err != nil {
						return err
					}
					next, err := one(s, p)
					next.least *= perTransaction
					next.weight *= perTransaction
					items = append(items, next)
					return err
				})
			})
		}
		return err
	})
	if err == nil && (len(items) == 0 || len(items) > mostTransacted) {
		err = errPass
	}
	return items, token, err
}

// transactWrite holds the items of a TransactWriteItems, condition checks among them, from here until the engine has
// answered and the time of the hold has passed; the client is not told before.
func (c *call) transactWrite() (*http.Response, error) {
	items, token, err := c.transacted(written)
	if err != nil {
		return nil, err
	}
	admitted, refused := c.admitTransaction(write, items)
	if refused != nil {
		return c.refuse(protocol.Cancelled(refused), c.latencies.write())
	}
	if c.hold == 0 {
		a, err := c.commit(items, admitted)
		if err != nil {
			return nil, err
		}
		return c.deliver(a, c.latencies.transaction())
	}
	accepted, conflicts, came := c.holds.acquire(c.clock.Now(), token, keysOf(items))
	switch came {
	case repeated:
		c.giveBack(write, admitted)
		return c.repeat(items)
	case inProgress:
		c.giveBack(write, admitted)
		c.meter.count(c.asker, Counts{InProgress: 1})
		return c.refuse(protocol.InProgress(), c.latencies.write())
	case conflict:
		c.settle(write, admitted, admitted)
		c.meter.count(c.asker, Counts{Conflicts: 1})
		return c.refuse(protocol.Cancelled(reasons(len(items), nil, conflicts)), c.latencies.write())
	}
	a, err := c.commit(items, admitted)
	until := c.holds.release(c.clock.Now(), accepted, c.hold, err == nil && a.ok())
	if err != nil {
		return nil, err
	}
	return c.deliver(a, max(c.latencies.transaction(), until.Sub(c.began)))
}

// commit lets the engine decide and charges what that took.
func (c *call) commit(items []item, admitted []demand) (*answer, error) {
	a, err := c.send(c.body)
	switch {
	case err != nil:
		c.settle(write, admitted, admitted) // it may have been applied
	case a.ok():
		c.settle(write, admitted, share(items, a.consumed))
	case a.failed("TransactionCanceledException"):
		c.settle(write, admitted, tried(admitted, a.body))
	default:
		c.giveBack(write, admitted)
	}
	return a, err
}

// tried returns what a transaction takes that a condition has cancelled. Where the answer shows an item that was in the
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
	a, err := c.send(c.body)
	if err != nil {
		c.settle(read, least, least)
		return nil, err
	}
	c.settle(read, least, share(items, a.consumed))
	return c.deliver(a, c.latencies.transaction())
}

// transactGet is cancelled where it names an item of a transaction under way. It holds nothing itself.
func (c *call) transactGet() (*http.Response, error) {
	items, _, err := c.transacted(func(s *protocol.Schema, p parameters) (item, error) {
		k, err := s.Key(p.key)
		return item{k, leastRead(true), leastRead(true), true}, err
	})
	if err != nil {
		return nil, err
	}
	admitted, refused := c.admitTransaction(read, items)
	if refused != nil {
		return c.refuse(protocol.Cancelled(refused), c.latencies.read(0))
	}
	if conflicts := c.holds.conflicting(c.clock.Now(), keysOf(items)); conflicts != nil {
		c.settle(read, admitted, admitted)
		c.meter.count(c.asker, Counts{Conflicts: 1})
		return c.refuse(protocol.Cancelled(reasons(len(items), nil, conflicts)), c.latencies.read(0))
	}
	a, err := c.send(c.body)
	if err != nil {
		c.settle(read, admitted, admitted)
		return nil, err
	}
	if !a.ok() {
		c.giveBack(read, admitted)
		return c.deliver(a, c.latencies.read(0))
	}
	i := 0
	_ = protocol.Values(protocol.MemberOf(a.body, "Responses"), func(one []byte) error {
		if i < len(items) {
			items[i].weight = perTransaction * unitsFor(itemSize(protocol.MemberOf(one, "Item")), readUnit)
		}
		i++
		return nil
	})
	c.settle(read, admitted, share(items, a.consumed))
	return c.deliver(a, c.latencies.transaction())
}

// admitTransaction lets all items in, or returns the reasons why not. Those that conflict besides are among them.
func (c *call) admitTransaction(d direction, items []item) (admitted []demand, refused []protocol.Reason) {
	wanted := demands(items)
	limits, ok := c.capacity.admitAll(c.clock.Now(), d, wanted)
	if ok {
		return wanted, nil
	}
	c.meter.count(c.asker, Counts{Throttled: 1})
	c.meter.refused(wanted, limits)
	return nil, reasons(len(items), limits, c.holds.conflicting(c.clock.Now(), keysOf(items)))
}

// reasons are those of a cancellation, item by item (API Reference, TransactionCanceledException): ThrottlingError is
// the one of tables on demand.
func reasons(n int, limits []limit, conflicts []bool) []protocol.Reason {
	all := make([]protocol.Reason, n)
	for i := range all {
		switch {
		case limits != nil && limits[i] != unlimited:
			all[i] = protocol.Reason{Code: "ThrottlingError", Message: messageScaling}
		case conflicts != nil && conflicts[i]:
			all[i] = protocol.Reason{Code: "TransactionConflict", Message: protocol.MessageConflict}
		default:
			all[i] = protocol.Reason{Code: "None"}
		}
	}
	return all
}

func keysOf(items []item) []key {
	keys := make([]key, len(items))
	for i, one := range items {
		keys[i] = one.key
	}
	return keys
}
