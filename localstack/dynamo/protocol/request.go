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

// Key identifies an item by its table, its partition key and its sort key, which are the strings PK and SK in all of
// Ranch's tables.
type Key struct{ Table, PK, SK string }

// Compare orders keys by table, then by PK, then by SK.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Table, o.Table), cmp.Compare(k.PK, o.PK), cmp.Compare(k.SK, o.SK))
}

// KeyOf returns the key in the attributes of an item of a table. Its texts are "" if they are missing.
func KeyOf(table string, attributes gjson.Result) Key {
	return Key{table, strings.Clone(attributes.Get("PK.S").Str), strings.Clone(attributes.Get("SK.S").Str)}
}

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

	HTTP  *http.Request
	Body  []byte
	Items []Item // the items that it names by their keys, in the order of the body; none for a Query or a Scan
	Batch Batch  // of a BatchGetItem; its elements are the Items

	Backward bool // of a Query: from the last sort key to the first
}

// Item is one item that a request names.
type Item struct {
	Key
	Parameters gjson.Result // the JSON object that names it: the request, an action, or a batch's table
	Check      bool         // the request only checks a condition of the item

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
// returns an error if it cannot read the body, or if the operation is BatchWriteItem or PartiQL, which the simulator
// does not know.
func Parse(r *http.Request) (*Request, error) {
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
	if parse := parsers[parsed.Operation]; parse != nil && gjson.ValidBytes(parsed.Body) {
		parse(parsed, gjson.ParseBytes(parsed.Body))
	}
	nameless := func(i Item) bool { return i.PK == "" || i.SK == "" }
	if len(parsed.Items) > mostItems || slices.ContainsFunc(parsed.Items, nameless) {
		return &Request{Operation: parsed.Operation, HTTP: r, Body: parsed.Body}, nil
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

var parsers = map[string]func(r *Request, body gjson.Result){
	"GetItem": (*Request).parseOne, "PutItem": (*Request).parseOne,
	"UpdateItem": (*Request).parseOne, "DeleteItem": (*Request).parseOne,
	"BatchGetItem":     (*Request).parseBatch,
	"TransactGetItems": (*Request).parseTransaction, "TransactWriteItems": (*Request).parseTransaction,
	"Query": (*Request).parseRange, "Scan": (*Request).parseRange,
}

// add adds an item of a table. The JSON object parameters names it.
func (r *Request) add(table string, attributes, parameters gjson.Result, check bool) {
	r.Items = append(r.Items, Item{KeyOf(table, attributes), parameters, check, attributes})
}

// named adds the item in the parameters of one operation or action. check is true for a condition check.
func (r *Request) named(parameters gjson.Result, check bool) {
	attributes := parameters.Get("Item")
	if !attributes.Exists() {
		attributes = parameters.Get("Key")
	}
	r.add(parameters.Get("TableName").Str, attributes, parameters, check)
}

func (r *Request) parseOne(body gjson.Result) { r.named(body, false) }

func (r *Request) parseTransaction(body gjson.Result) {
	r.Token = body.Get("ClientRequestToken").Str
	for _, actions := range body.Get("TransactItems").Array() {
		actions.ForEach(func(kind, action gjson.Result) bool {
			r.named(action, kind.Str == "ConditionCheck")
			return true
		})
	}
}

func (r *Request) parseBatch(body gjson.Result) {
	body.Get("RequestItems").ForEach(func(table, settings gjson.Result) bool {
		for _, key := range settings.Get("Keys").Array() {
			r.add(table.Str, key, settings, false)
		}
		return true
	})
	r.Batch = ParseBatch(body.Get("RequestItems"))
}

// keyCondition matches the key conditions that the simulator understands. For another one, and for a Scan, the Range is
// the whole table.
var keyCondition = regexp.MustCompile(`^PK = (:\w+)(?: AND SK BETWEEN (:\w+) AND (:\w+))?$`)

func (r *Request) parseRange(body gjson.Result) {
	where := Range{Table: body.Get("TableName").Str}
	if found := keyCondition.FindStringSubmatch(body.Get("KeyConditionExpression").Str); found != nil {
		value := func(i int) string { return body.Get("ExpressionAttributeValues").Get(found[i] + ".S").Str }
		where.PK, where.From, where.To = value(1), value(2), value(3)
	}
	r.Backward = body.Get("ScanIndexForward").Raw == "false"
	r.Reads = []Range{where}
}
