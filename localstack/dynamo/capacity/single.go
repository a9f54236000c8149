package capacity

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// parameters are what an operation on one item says, or one action of a transaction.
type parameters struct {
	table             string
	key, item         []byte
	names, values     []byte // of the expressions
	keyCondition      string
	consistent, index bool
}

func parse(object []byte) (p parameters, err error) {
	err = protocol.Members(object, func(m protocol.Member) (err error) {
		switch m.Name {
		case "TableName":
			p.table, err = protocol.Text(m.Value)
		case "Key":
			p.key = m.Value
		case "Item":
			p.item = m.Value
		case "ExpressionAttributeNames":
			p.names = m.Value
		case "ExpressionAttributeValues":
			p.values = m.Value
		case "KeyConditionExpression":
			p.keyCondition, err = protocol.Text(m.Value)
		case "ConsistentRead":
			p.consistent = string(m.Value) == "true"
		case "IndexName":
			p.index = true
		}
		return err
	})
	return p, err
}

// schema returns the schema of a table, or errPass where the engine has no such table.
func (c *call) schema(table string) (*protocol.Schema, error) {
	s, err := c.schemas.Of(table, c.request, c.next)
	if err != nil {
		if ctx := c.request.Context().Err(); ctx != nil {
			return nil, ctx
		}
		return nil, errPass
	}
	return s, nil
}

// parse reads a request for one table.
func (c *call) parse() (parameters, *protocol.Schema, error) {
	p, err := parse(c.body)
	if err != nil {
		return parameters{}, nil, err
	}
	s, err := c.schema(p.table)
	return p, s, err
}

// leastRead is what reading an item takes at least, also one that is not there (Developer Guide, "DynamoDB read and
// write operations": a strongly consistent read of up to 4 KB is one unit, an eventually consistent one half of it).
func leastRead(consistent bool) float64 {
	if consistent {
		return 1
	}
	return 0.5
}

func (c *call) getItem() (*http.Response, error) {
	p, s, err := c.parse()
	if err != nil {
		return nil, err
	}
	k, err := s.Key(p.key)
	if err != nil {
		return nil, err
	}
	return c.read(s, k, p.consistent)
}

// query reads one partition. What it takes is what the items that it looks at weigh together, up to 1 MB, whatever it
// filters and projects. A Query of an index is not limited.
func (c *call) query() (*http.Response, error) {
	p, s, err := c.parse()
	if err != nil {
		return nil, err
	}
	if p.index {
		return nil, errPass
	}
	return c.read(s, key{Table: s.Table, PK: queried(s, p)}, p.consistent)
}

// scan reads the table in no order of its keys: it is limited by the table's capacity alone.
func (c *call) scan() (*http.Response, error) {
	p, s, err := c.parse()
	if err != nil {
		return nil, err
	}
	if p.index {
		return nil, errPass
	}
	return c.read(s, key{Table: s.Table}, p.consistent)
}

// equality is a condition that may be the one on the partition key: an attribute, or a placeholder of its name, and the
// placeholder of a value.
var equality = regexp.MustCompile(`([#\w.-]+)\s*=\s*(:\w+)`)

// queried returns the value of the partition key that a Query names; "" where it does so in the legacy way, without an
// expression.
func queried(s *protocol.Schema, p parameters) (value string) {
	for _, found := range equality.FindAllStringSubmatch(p.keyCondition, -1) {
		attribute, placeholder := found[1], found[2]
		if attribute[0] == '#' {
			_ = protocol.Members(p.names, func(m protocol.Member) (err error) {
				if m.Name == attribute {
					attribute, err = protocol.Text(m.Value)
				}
				return err
			})
		}
		if attribute != s.Partition {
			continue
		}
		_ = protocol.Members(p.values, func(m protocol.Member) (err error) {
			if m.Name == placeholder {
				value, err = protocol.KeyValue(m.Value)
			}
			return err
		})
	}
	return value
}

// read lets a read of one partition through, or refuses it.
func (c *call) read(s *protocol.Schema, k key, consistent bool) (*http.Response, error) {
	least := leastRead(consistent)
	items := []item{{k, least, least, true}}
	admitted, refused := c.admit(read, items)
	if refused != unlimited {
		return c.refuse(throttled(s, read, refused), c.latencies.read(0))
	}
	a, err := c.send(c.body)
	if err != nil {
		c.settle(read, admitted, admitted) // it may have been answered
		return nil, err
	}
	if !a.ok() {
		c.giveBack(read, admitted)
		return c.deliver(a, c.latencies.read(0))
	}
	taken := share(items, a.consumed)
	c.settle(read, admitted, taken)
	return c.deliver(a, c.latencies.read(shareOfAPage(taken[0].units/least)))
}

// admit lets a request for one item in, or says what refuses it.
func (c *call) admit(d direction, items []item) (admitted []demand, refused limit) {
	wanted := demands(items)
	limits := c.capacity.admitEach(c.clock.Now(), d, wanted)
	if limits[0] != unlimited {
		c.meter.count(c.asker, Counts{Throttled: 1})
		c.meter.refused(wanted, limits)
	}
	return wanted, limits[0]
}

// writeItem lets a PutItem, an UpdateItem or a DeleteItem through, or refuses it.
func (c *call) writeItem() (*http.Response, error) {
	p, s, err := c.parse()
	if err != nil {
		return nil, err
	}
	one, err := written(s, p)
	if err != nil {
		return nil, err
	}
	items := []item{one}
	admitted, refused := c.admit(write, items)
	if refused != unlimited {
		return c.refuse(throttled(s, write, refused), c.latencies.write())
	}
	if c.holds.conflicting(c.clock.Now(), []key{one.key}) != nil {
		c.settle(write, admitted, admitted)
		c.meter.count(c.asker, Counts{Conflicts: 1})
		return c.refuse(protocol.Conflict(), c.latencies.write())
	}
	a, err := c.send(c.body)
	switch {
	case err != nil:
		c.settle(write, admitted, admitted) // it may have been applied
		return nil, err
	case a.ok():
		c.settle(write, admitted, share(items, a.consumed))
	case a.failed("ConditionalCheckFailedException"):
		taken := slices.Clone(admitted)
		taken[0].units = max(taken[0].units, unitsFor(itemSize(protocol.MemberOf(a.body, "Item")), writeUnit))
		c.settle(write, admitted, taken)
	default:
		c.giveBack(write, admitted)
	}
	return c.deliver(a, c.latencies.write())
}

// written returns the item of a put, an update, a delete or a condition check. A put tells the size of the item; of an
// update only what it adds is known, of the others nothing.
func written(s *protocol.Schema, p parameters) (one item, err error) {
	one.least = 1
	if p.item != nil {
		one.least = unitsFor(itemSize(p.item), writeUnit)
		one.weight = one.least
		one.key, err = s.Key(p.item)
		return one, err
	}
	one.weight, one.open = unitsFor(itemSize(p.key)+itemSize(p.values), writeUnit), true
	one.key, err = s.Key(p.key)
	return one, err
}
