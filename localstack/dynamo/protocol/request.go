package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Range is the part of one partition from which a request reads: the items with From <= SK <= To. From and To may be ""
// for no bound. If PK is "", the Range is the whole table. The request may read fewer items than its Range has.
type Range struct{ Table, PK, From, To string }

// Has reports whether the item with the key k is in the range.
func (r Range) Has(k Key) bool {
	return r.Table == k.Table && (r.PK == "" || r.PK == k.PK && (r.From == "" || r.From <= k.SK) && (r.To == "" || k.SK <= r.To))
}

// Request is a parsed request to DynamoDB, as far as the simulator must understand it.
type Request struct {
	Operation string  // such as "TransactWriteItems"
	Token     string  // ClientRequestToken; "" without
	Reads     []Range // sorted; the whole table for a Scan
	Writes    []Key   // sorted; items that it puts, updates or deletes
	Checks    []Key   // sorted; items whose conditions it only checks

	HTTP   *http.Request
	Body   []byte
	Items  []Item  // the items that it names by their keys, in the order of the body
	Schema *Schema // of the table of a Query or a Scan; nil for other operations
	Batch  Batch   // of a BatchGetItem; its elements are the Items

	Backward bool // of a Query: from the last sort key to the first
}

// Item is one item that a request names.
type Item struct {
	Key
	Schema     *Schema
	Name       string // of the table, as in the request
	Parameters []byte // the JSON object that names it: the request, an action, or a batch's table
	Check      bool   // the request only checks a condition of the item

	attributes []byte // at least the attributes of the key
}

// KeyJSON returns the attributes of the item's key.
func (i Item) KeyJSON() []byte { return i.Schema.KeyOnly(i.attributes) }

// Changes reports whether the request writes items or checks conditions.
func (r *Request) Changes() bool { return len(r.Writes)+len(r.Checks) > 0 }

// Understood reports whether the simulator knows items or a range that the request reads, writes or checks.
func (r *Request) Understood() bool { return r.Changes() || len(r.Reads) > 0 }

// Keys returns the keys of the items that the request names, in the request's order.
func (r *Request) Keys() []Key {
	keys := make([]Key, len(r.Items))
	for i, one := range r.Items {
		keys[i] = one.Key
	}
	return keys
}

// mostItems is the most items that a transaction or a BatchGetItem may have. The engine refuses more.
const mostItems = 100

// Parse parses a request, and reads and closes its body. It asks the engine once for the key names of each table. If
// the request is malformed, names an unknown table or more than 100 items, or concerns no items, the result is not
// Understood. The simulator sends such a request to the engine unchanged. Parse returns an error if it cannot read the
// body, or if the operation is BatchWriteItem or PartiQL, which the simulator does not know.
func (e Engine) Parse(r *http.Request) (*Request, error) {
	parsed := &Request{Operation: Operation(r), HTTP: r}
	if parsed.Operation == "BatchWriteItem" || strings.Contains(parsed.Operation, "Execute") {
		return nil, fmt.Errorf("protocol: the simulator does not know %s: add it, or use another operation", parsed.Operation)
	}
	if r.Body == nil {
		return parsed, nil
	}
	var err error
	if parsed.Body, err = ReadAll(r.Body, r.ContentLength); err != nil {
		return nil, err
	}
	if parse := parsers[parsed.Operation]; parse != nil {
		if !Valid(parsed.Body) || parse(e, parsed) != nil || len(parsed.Items) > mostItems {
			return &Request{Operation: parsed.Operation, HTTP: r, Body: parsed.Body}, nil
		}
	}
	for _, i := range parsed.Items {
		switch {
		case strings.Contains(parsed.Operation, "Get"):
			parsed.Reads = append(parsed.Reads, Range{i.Table, i.PK, i.SK, i.SK})
		case i.Check:
			parsed.Checks = append(parsed.Checks, i.Key)
		default:
			parsed.Writes = append(parsed.Writes, i.Key)
		}
	}
	slices.SortFunc(parsed.Reads, func(a, b Range) int {
		return cmp.Or(Key{a.Table, a.PK, a.From}.Compare(Key{b.Table, b.PK, b.From}), cmp.Compare(a.To, b.To))
	})
	slices.SortFunc(parsed.Writes, Key.Compare)
	slices.SortFunc(parsed.Checks, Key.Compare)
	return parsed, nil
}

var parsers = map[string]func(Engine, *Request) error{
	"GetItem": Engine.parseOne, "PutItem": Engine.parseOne, "UpdateItem": Engine.parseOne, "DeleteItem": Engine.parseOne,
	"BatchGetItem":     Engine.parseBatch,
	"TransactGetItems": Engine.parseTransaction, "TransactWriteItems": Engine.parseTransaction,
	"Query": Engine.parseRange, "Scan": Engine.parseRange,
}

// named adds the item in the parameters of one operation or action. check is true for a condition check.
func (e Engine) named(r *Request, parameters []byte, check bool) error {
	table, err := Text(MemberOf(parameters, "TableName"))
	if err != nil {
		return err
	}
	return e.add(r, Item{Name: table, Parameters: parameters, Check: check})
}

// add adds the item i to the request, with its schema and key. By default, its attributes are the "Item" or the "Key".
func (e Engine) add(r *Request, i Item) (err error) {
	if i.attributes == nil {
		i.attributes = MemberOf(i.Parameters, "Item")
	}
	if i.attributes == nil {
		i.attributes = MemberOf(i.Parameters, "Key")
	}
	if i.Schema, err = e.Tables.of(i.Name, r.HTTP, e); err != nil {
		return err
	}
	i.Key, err = i.Schema.Key(i.attributes)
	r.Items = append(r.Items, i)
	return err
}

func (e Engine) parseOne(r *Request) error { return e.named(r, r.Body, false) }

func (e Engine) parseTransaction(r *Request) error {
	return Members(r.Body, func(m Member) (err error) {
		switch m.Name {
		case "ClientRequestToken":
			r.Token, err = Text(m.Value)
		case "TransactItems":
			err = Values(m.Value, func(action []byte) error {
				return Members(action, func(m Member) error { return e.named(r, m.Value, m.Name == "ConditionCheck") })
			})
		}
		return err
	})
}

func (e Engine) parseBatch(r *Request) (err error) {
	r.Batch, err = ParseBatch(MemberOf(r.Body, "RequestItems"))
	for _, t := range r.Batch {
		for _, raw := range t.Elements {
			err = cmp.Or(err, e.add(r, Item{Name: t.Name, Parameters: t.Value, attributes: raw}))
		}
	}
	return err
}

// keyCondition matches the key conditions that the simulator understands. For another one, and for a Scan, the Range is
// the whole table.
var keyCondition = regexp.MustCompile(`^(\w+) = (:\w+)(?: AND (\w+) BETWEEN (:\w+) AND (:\w+))?$`)

func (e Engine) parseRange(r *Request) error {
	var in struct {
		TableName, KeyConditionExpression string
		ScanIndexForward                  *bool
		ExpressionAttributeValues         map[string]json.RawMessage
	}
	err := json.Unmarshal(r.Body, &in)
	if err != nil {
		return err
	}
	if r.Schema, err = e.Tables.of(in.TableName, r.HTTP, e); err != nil {
		return err
	}
	r.Backward = in.ScanIndexForward != nil && !*in.ScanIndexForward
	where := Range{Table: r.Schema.Table}
	found := keyCondition.FindStringSubmatch(in.KeyConditionExpression)
	if found != nil && found[1] == r.Schema.Partition && (found[3] == "" || found[3] == r.Schema.Sort) {
		for i, to := range map[int]*string{2: &where.PK, 4: &where.From, 5: &where.To} {
			*to, _ = scalar(in.ExpressionAttributeValues[found[i]])
		}
	}
	r.Reads = []Range{where}
	return nil
}
