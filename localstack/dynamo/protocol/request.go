package protocol

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Key identifies an item of a table by its partition key and its sort key, which are the strings PK and SK in all of
// Ranch's tables.
type Key struct{ PK, SK string }

// Compare orders keys by PK, then by SK.
func (k Key) Compare(o Key) int { return cmp.Or(cmp.Compare(k.PK, o.PK), cmp.Compare(k.SK, o.SK)) }

// KeyOf returns the key in the attributes of an item. Its texts are "" if they are missing.
func KeyOf(attributes gjson.Result) Key {
	return Key{strings.Clone(attributes.Get("PK.S").Str), strings.Clone(attributes.Get("SK.S").Str)}
}

// Range is the part of one partition from which a request reads: the items with From <= SK <= To. From and To may be ""
// for no bound. If PK is "", the Range is the whole table. The request may read fewer items than its Range has.
type Range struct{ PK, From, To string }

// Has reports whether the item with the key k is in the range.
func (r Range) Has(k Key) bool {
	return r.PK == "" || r.PK == k.PK && (r.From == "" || r.From <= k.SK) && (r.To == "" || k.SK <= r.To)
}

// Request is a parsed request to DynamoDB, as far as the simulator must understand it.
type Request struct {
	Operation string  // such as "TransactWriteItems"
	Table     string  // "" if it is about no table
	Token     string  // ClientRequestToken; "" without
	Reads     []Range // sorted; the whole table for a Scan
	Writes    []Key   // sorted; items that it puts, updates or deletes
	Checks    []Key   // sorted; items whose conditions it only checks

	HTTP  *http.Request
	Body  []byte
	Items []Item // the items that it names by their keys, in the order of the body; none for a Query or a Scan
	Batch Batch  // of a BatchGetItem; its elements are the Items

	Consistent bool // of a read: strongly consistent
	Backward   bool // of a Query: from the last sort key to the first
}

// Item is one item that a request names.
type Item struct {
	Key
	Check bool // the request only checks a condition of the item

	attributes gjson.Result // at least the attributes of the key
}

// KeyJSON returns the attributes of the item's key.
func (i Item) KeyJSON() string {
	return Object(Member{"PK", i.attributes.Get("PK").Raw}, Member{"SK", i.attributes.Get("SK").Raw})
}

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

// Parse parses a request, and reads and closes its body. If the request is malformed, names more than 100 items, or
// concerns no items, the result is not Understood. The simulator sends such a request to the engine unchanged. Parse
// returns an error if it cannot read the body, or if the simulator does not know such a request: a BatchWriteItem,
// PartiQL, or items of several tables.
func Parse(r *http.Request) (*Request, error) {
	parsed := &Request{Operation: Operation(r), HTTP: r}
	if parsed.Operation == "BatchWriteItem" || strings.Contains(parsed.Operation, "Execute") {
		return nil, fmt.Errorf("protocol: the simulator does not know %s: add it, or use another operation", parsed.Operation)
	}
	if r.Body == nil {
		return parsed, nil
	}
	var err error
	if parsed.Body, err = ReadAll(r.Body, r.ContentLength); err != nil || !gjson.ValidBytes(parsed.Body) {
		return parsed, err
	}
	body := gjson.ParseBytes(parsed.Body)
	parsed.parse(body)
	nameless := func(i Item) bool { return i.PK == "" || i.SK == "" }
	if len(parsed.Items) > mostItems || slices.ContainsFunc(parsed.Items, nameless) {
		return &Request{Operation: parsed.Operation, HTTP: r, Body: parsed.Body}, nil
	}
	tables := slices.Concat(body.Get("TableName").Array(), body.Get("TransactItems.#.*.TableName").Array(),
		body.Get("RequestItems.@keys").Array())
	for _, table := range tables {
		if parsed.Table = tables[0].Str; table.Str != parsed.Table {
			return nil, fmt.Errorf("protocol: the simulator does not know a %s of several tables", parsed.Operation)
		}
	}
	for _, i := range parsed.Items {
		switch {
		case strings.Contains(parsed.Operation, "Get"):
			parsed.Reads = append(parsed.Reads, Range{i.PK, i.SK, i.SK})
		case i.Check:
			parsed.Checks = append(parsed.Checks, i.Key)
		default:
			parsed.Writes = append(parsed.Writes, i.Key)
		}
	}
	slices.SortFunc(parsed.Reads, func(a, b Range) int { return Key{a.PK, a.From}.Compare(Key{b.PK, b.From}) })
	slices.SortFunc(parsed.Writes, Key.Compare)
	slices.SortFunc(parsed.Checks, Key.Compare)
	return parsed, nil
}

// keyCondition matches the key conditions that the simulator understands. For another one, and for a Scan, the Range is
// the whole table.
var keyCondition = regexp.MustCompile(`^PK = (:\w+)(?: AND SK BETWEEN (:\w+) AND (:\w+))?$`)

// parse parses the items or the range that the body of the request names.
func (r *Request) parse(body gjson.Result) {
	add := func(attributes gjson.Result, check bool) {
		r.Items = append(r.Items, Item{KeyOf(attributes), check, attributes})
	}
	r.Consistent = body.Get("ConsistentRead").Bool()
	switch r.Operation {
	case "PutItem":
		add(body.Get("Item"), false)
	case "GetItem", "UpdateItem", "DeleteItem":
		add(body.Get("Key"), false)
	case "TransactGetItems", "TransactWriteItems":
		r.Token = body.Get("ClientRequestToken").Str
		for _, actions := range body.Get("TransactItems").Array() {
			actions.ForEach(func(kind, action gjson.Result) bool {
				attributes := "Key"
				if kind.Str == "Put" {
					attributes = "Item"
				}
				add(action.Get(attributes), kind.Str == "ConditionCheck")
				return true
			})
		}
	case "BatchGetItem":
		r.Batch = ParseBatch(body.Get("RequestItems"))
		r.Consistent = gjson.Get(r.Batch.Settings, "ConsistentRead").Bool()
		for _, key := range r.Batch.Elements {
			add(gjson.Parse(key), false)
		}
	case "Query", "Scan":
		where := Range{}
		if found := keyCondition.FindStringSubmatch(body.Get("KeyConditionExpression").Str); found != nil {
			value := func(i int) string { return body.Get("ExpressionAttributeValues").Get(found[i] + ".S").Str }
			where = Range{value(1), value(2), value(3)}
		}
		r.Backward = body.Get("ScanIndexForward").Raw == "false"
		r.Reads = []Range{where}
	}
}
