package visibility

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostItems is how many items a transaction or a BatchGetItem names at most; the engine refuses more.
const mostItems = 100

// Parse reads a request, and its body, which it closes. How a table's keys are called it asks the engine, once. What
// names no table that the engine has, what is malformed, and operations that neither read nor write items have neither
// Reads nor Writes: the engine gets them as they are, and judges them. An error says that the body cannot be read.
func (f *Front) Parse(r *http.Request) (*Request, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	parsed := &Request{Operation: operation, http: r}
	if r.Body == nil {
		return parsed, nil
	}
	var err error
	if parsed.body, err = protocol.ReadAll(r.Body, r.ContentLength); err != nil {
		return nil, err
	}
	if parse := parsers[operation]; parse != nil {
		if parse(f, parsed) != nil || len(parsed.items) > mostItems {
			return &Request{Operation: operation, http: r, body: parsed.body}, nil
		}
	}
	for _, i := range parsed.items {
		switch {
		case readers[operation]:
			parsed.Reads = append(parsed.Reads, Range{i.Table, i.PK, i.SK, i.SK})
		case i.check:
			parsed.Checks = append(parsed.Checks, i.Key)
		default:
			parsed.Writes = append(parsed.Writes, i.Key)
		}
	}
	slices.SortFunc(parsed.Reads, compareRanges)
	slices.SortFunc(parsed.Writes, compareKeys)
	slices.SortFunc(parsed.Checks, compareKeys)
	return parsed, nil
}

var parsers = map[string]func(*Front, *Request) error{
	"GetItem":            (*Front).parseOne,
	"PutItem":            (*Front).parseOne,
	"UpdateItem":         (*Front).parseOne,
	"DeleteItem":         (*Front).parseOne,
	"BatchGetItem":       (*Front).parseBatchGet,
	"BatchWriteItem":     (*Front).parseBatchWrite,
	"TransactGetItems":   (*Front).parseTransaction,
	"TransactWriteItems": (*Front).parseTransaction,
	"Query":              (*Front).parseQuery,
	"Scan":               (*Front).parseScan,
}

// readers are the operations that name the items they read.
var readers = map[string]bool{"GetItem": true, "BatchGetItem": true, "TransactGetItems": true}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK))
}

func compareRanges(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PK, b.PK), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// schema returns the schema of the table that the object names, and that name.
func (f *Front) schema(r *http.Request, object []byte) (*protocol.Schema, string, error) {
	table, err := protocol.Text(protocol.MemberOf(object, "TableName"))
	if err != nil {
		return nil, "", err
	}
	s, err := f.schemas.Of(table, r, f.next)
	return s, table, err
}

// named returns the item that a request for one item names, or an action of a transaction.
func (f *Front) named(r *http.Request, object []byte) (item, error) {
	s, table, err := f.schema(r, object)
	if err != nil {
		return item{}, err
	}
	return itemOf(s, table, object)
}

// itemOf returns the item whose attributes, or whose key, the object has.
func itemOf(s *protocol.Schema, table string, object []byte) (item, error) {
	attributes := protocol.MemberOf(object, "Item")
	if attributes == nil {
		attributes = protocol.MemberOf(object, "Key")
	}
	k, err := s.Key(attributes)
	return item{Key: k, table: table, key: keyOnly(s, attributes)}, err
}

// keyOnly returns the attributes of an item's key.
func keyOnly(s *protocol.Schema, attributes []byte) []byte {
	key, _ := projection{s.Partition: nil, s.Sort: nil}.of(attributes)
	return key
}

func (f *Front) parseOne(r *Request) error {
	one, err := f.named(r.http, r.body)
	r.items = []item{one}
	return err
}

func (f *Front) parseTransaction(r *Request) error {
	return protocol.Members(r.body, func(m protocol.Member) (err error) {
		switch m.Name {
		case "ClientRequestToken":
			r.Token, err = protocol.Text(m.Value)
		case "TransactItems":
			err = protocol.Values(m.Value, func(action []byte) error {
				return protocol.Members(action, func(m protocol.Member) error {
					one, err := f.named(r.http, m.Value)
					one.check = m.Name == "ConditionCheck"
					r.items = append(r.items, one)
					return err
				})
			})
		}
		return err
	})
}

func (f *Front) parseBatchGet(r *Request) error {
	return f.tables(r, func(s *protocol.Schema, table string, value []byte) error {
		return protocol.Values(protocol.MemberOf(value, "Keys"), func(raw []byte) error {
			k, err := s.Key(raw)
			r.items = append(r.items, item{Key: k, table: table, key: raw})
			return err
		})
	})
}

func (f *Front) parseBatchWrite(r *Request) error {
	return f.tables(r, func(s *protocol.Schema, table string, value []byte) error {
		return protocol.Values(value, func(raw []byte) error {
			return protocol.Members(raw, func(m protocol.Member) error { // PutRequest or DeleteRequest
				one, err := itemOf(s, table, m.Value)
				one.raw = raw
				r.items = append(r.items, one)
				return err
			})
		})
	})
}

// tables visits the tables of a batch.
func (f *Front) tables(r *Request, visit func(s *protocol.Schema, table string, value []byte) error) error {
	return protocol.Members(protocol.MemberOf(r.body, "RequestItems"), func(m protocol.Member) error {
		s, err := f.schemas.Of(m.Name, r.http, f.next)
		if err != nil {
			return err
		}
		return visit(s, m.Name, m.Value)
	})
}

func (f *Front) parseScan(r *Request) error {
	s, _, err := f.schema(r.http, r.body)
	if err == nil {
		r.Reads = []Range{{Table: s.Table}}
	}
	return err
}

// parseQuery finds the range of a Query. Where it cannot (legacy parameters, an index), the range is the whole table.
func (f *Front) parseQuery(r *Request) error {
	s, _, err := f.schema(r.http, r.body)
	if err != nil {
		return err
	}
	r.Reads = []Range{{Table: s.Table}}
	p, err := parsePaging(r.body)
	if err != nil || p.index || p.keyCondition == nil {
		return nil // reported once something is hidden
	}
	r.Reads[0] = rangeOf(s, p.keyCondition)
	return nil
}

// rangeOf returns what a key condition selects.
func rangeOf(s *protocol.Schema, c *condition) Range {
	found := Range{Table: s.Table}
	for _, one := range c.conjuncts() {
		if len(one.operands) < 2 || len(one.operands[0].path) != 1 {
			continue
		}
		value := func(i int) string {
			v, _ := protocol.KeyValue(one.operands[i].value)
			return v
		}
		switch one.operands[0].path[0] {
		case s.Partition:
			found.PK = value(1)
		case s.Sort:
			if protocol.MemberOf(one.operands[1].value, "S") == nil {
				continue // numbers and binaries have another order than their texts
			}
			switch one.operator {
			case "=":
				found.From, found.To = value(1), value(1)
			case "<", "<=":
				found.To = value(1)
			case ">", ">=":
				found.From = value(1)
			case "BETWEEN":
				found.From, found.To = value(1), value(2)
			case "begins_with":
				found.From, found.To = value(1), value(1)+"\U0010FFFF"
			}
		}
	}
	return found
}
