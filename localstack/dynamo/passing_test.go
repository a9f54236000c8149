package dynamo_test

import (
	"encoding/json"
	"hash/crc32"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// post sends a request with this body, unchanged, and returns the response's status, headers and body.
func post(t *testing.T, transport http.RoundTripper, operation, body string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, local.Endpoint(), strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Date", "20260102T030405Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	response, err := transport.RoundTrip(r)
	require.NoError(t, err, operation)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	require.NoError(t, err, operation)
	length := response.Header.Get("Content-Length")
	assert.True(t, length == "" || length == strconv.Itoa(len(got)), "%s: %s bytes are announced, %d came", operation, length, len(got))
	sum := response.Header.Get("X-Amz-Crc32")
	assert.True(t, sum == "" || sum == strconv.FormatUint(uint64(crc32.ChecksumIEEE(got)), 10),
		"%s: the checksum %s is not that of the body", operation, sum)
	return response.StatusCode, response.Header, got
}

// exchanges are requests of every kind, and some wrong requests. TestWhatPasses replaces TABLE by the table's name.
var exchanges = []struct{ operation, body string }{
	{"DescribeTable", `{"TableName":"TABLE"}`},
	{"ListTables", `{}`},
	{"PutItem", `{"TableName":"TABLE","Item":{"PK":{"S":"a"},"SK":{"S":"1"},"x":{"N":"1"}}}`},
	{"PutItem", `{ "TableName" : "TABLE", "Item" : {"PK":{"S":"a"},"SK":{"S":"2"}}, "ReturnValues":"ALL_OLD" }`},
	{"PutItem", `{"TableName":"TABLE","Item":{"PK":{"S":"a"},"SK":{"S":"1"}},"ConditionExpression":"attribute_not_exists(PK)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`},
	{"PutItem", `{"TableName":"TABLE","Item":{"PK":{"S":"a"}}}`},
	{"PutItem", `{"TableName":"TABLE","Item":{"PK":{"N":"1"},"SK":{"S":"1"}}}`},
	{"UpdateItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"UpdateExpression":"SET y = :y","ExpressionAttributeValues":{":y":{"S":"\u00e9\"}"}},"ReturnValues":"ALL_NEW"}`},
	{"UpdateItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"UpdateExpression":"SET"}`},
	{"GetItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"ConsistentRead":true}`},
	{"GetItem", `{"TableName":"TABLE","Key":{"PK":{"S":"no"},"SK":{"S":"no"}}}`},
	{"GetItem", `{"TableName":"TABLE-not","Key":{"PK":{"S":"a"},"SK":{"S":"2"}}}`},
	{"GetItem", `{"TableName":"TABLE","Key":{}}`},
	{"GetItem", `{"TableName":"TABLE"`},
	{"GetItem", `{"TableName":7,"Key":[]}`},
	{"GetItem", ``},
	{"BatchGetItem", `{"RequestItems":{"TABLE":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"1"}},{"SK":{"S":"none"},"PK":{"S":"b"}}],"ConsistentRead":true}}}`},
	{"BatchGetItem", `{"RequestItems":{"TABLE":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"1"}},{"PK":{"S":"a"},"SK":{"S":"1"}}]}}}`},
	{"BatchGetItem", `{"RequestItems":{}}`},
	{"Query", `{"TableName":"TABLE","KeyConditionExpression":"#p = :p","ExpressionAttributeNames":{"#p":"PK"},"ExpressionAttributeValues":{":p":{"S":"a"}},"Limit":1}`},
	{"Query", `{"TableName":"TABLE","KeyConditionExpression":"x = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}`},
	{"Scan", `{"TableName":"TABLE","Limit":1}`},
	{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"TABLE","Item":{"PK":{"S":"t"},"SK":{"S":"1"}}}},{"ConditionCheck":{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"1"}},"ConditionExpression":"attribute_not_exists(PK)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}`},
	{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"TABLE","Item":{"PK":{"S":"t"},"SK":{"S":"1"}}}},{"Delete":{"TableName":"TABLE","Key":{"PK":{"S":"t"},"SK":{"S":"1"}}}}]}`},
	{"TransactWriteItems", `{"TransactItems":[]}`},
	{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"1"}}}},{"Get":{"TableName":"TABLE","Key":{"PK":{"S":"no"},"SK":{"S":"1"}}}}]}`},
	{"DeleteItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"ReturnValues":"ALL_OLD"}`},
	{"UpdateTimeToLive", `{"TableName":"TABLE","TimeToLiveSpecification":{"AttributeName":"other","Enabled":false}}`},
	{"CreateTable", `{"TableName":"TABLE","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`},
	{"NoSuchThing", `{}`},
}

// TestWhatPasses sends every request of exchanges through packages capacity and visibility, with and without a request
// for the consumed capacity. The engine and the client must get each other's bytes unchanged. The only exception is a
// report of capacity that only the simulator has requested.
func TestWhatPasses(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]func(*testing.T) *fixture{
		"no limits": func(t *testing.T) *fixture { return withCapacity(t, capacity.Options{}) },
		"limits far away": func(t *testing.T) *fixture {
			return withCapacity(t, capacity.Options{PartitionRead: 1e9, PartitionWrite: 1e9, TableRead: 1e9, TableWrite: 1e9, Hold: 1})
		},
		"nothing hidden": withVisibility,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mode(t)
			for _, wish := range []string{"", "TOTAL", "INDEXES", "NONE"} {
				for _, e := range exchanges {
					body, wished := strings.ReplaceAll(e.body, "TABLE", *f.name), false
					if wish != "" && len(body) > 2 {
						body = `{"ReturnConsumedCapacity":"` + wish + `",` + body[1:]
						wished = wish != "NONE"
					}
					f.checkPasses(t, e.operation, body, wished)
				}
			}
		})
	}
}

func (f *fixture) checkPasses(t *testing.T, operation, body string, wished bool) {
	t.Helper()
	_, header, got := post(t, f.mode, operation, body)
	sent := string(f.wire.sent)
	assert.True(t, sent == body || !wished && sameWithout(sent, body, "ReturnConsumedCapacity"),
		"%s: the client sent %s, the engine got %s", operation, body, sent)
	answered := string(f.wire.received)
	assert.True(t, string(got) == answered || !wished && sameWithout(answered, string(got), "ConsumedCapacity"),
		"%s: the engine answered %s, the client got %s", operation, answered, got)
	assert.True(t, wished || !strings.Contains(string(got), `"ConsumedCapacity"`),
		"%s: the client is told the capacity: %s", operation, got)
	for name, values := range f.wire.header {
		assert.True(t, name == "Content-Length" || name == "X-Amz-Crc32" || slices.Equal(header[name], values),
			"%s: the header %s %v became %v", operation, name, values, header[name])
	}
}

// sameWithout reports whether two objects are equal except for one member.
func sameWithout(a, b string, member string) bool {
	var x, y map[string]any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	delete(x, member)
	delete(y, member)
	return reflect.DeepEqual(x, y)
}

// TestParse checks what protocol.Engine.Parse finds in each operation.
func TestParse(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	keys := func(names ...string) (all []protocol.Key) {
		for _, n := range names {
			all = append(all, f.key(n))
		}
		return all
	}
	of := func(pk, from, to string) []protocol.Range {
		return []protocol.Range{{Table: *f.name, PK: pk, From: from, To: to}}
	}
	query := func(condition string) string {
		return `{"TableName":"TABLE","ExpressionAttributeValues":{":p":{"S":"a"},":x":{"S":"1"},":y":{"S":"2"}},"KeyConditionExpression":"` + condition + `"}`
	}
	const a1, b1, c1 = `{"PK":{"S":"a"},"SK":{"S":"1"}}`, `{"PK":{"S":"b"},"SK":{"S":"1"}}`, `{"PK":{"S":"c"},"SK":{"S":"1"}}`
	for _, c := range []struct {
		operation, body string
		want            protocol.Request
	}{
		{"GetItem", `{"TableName":"TABLE","Key":` + a1 + `}`, protocol.Request{Reads: of("a", "1", "1")}},
		{"GetItem", `{"TableName":"TABLE-absent","Key":` + a1 + `}`, protocol.Request{}},
		{"BatchGetItem", `{"RequestItems":{"TABLE":{"Keys":[` + b1 + `,` + a1 + `]}}}`, protocol.Request{Reads: append(of("a", "1", "1"), of("b", "1", "1")...)}},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"TABLE","Key":` + a1 + `}}]}`, protocol.Request{Reads: of("a", "1", "1")}},
		{"Query", query("PK = :p"), protocol.Request{Reads: of("a", "", "")}},
		{"Query", query("PK = :p AND SK BETWEEN :x AND :y"), protocol.Request{Reads: of("a", "1", "2")}},
		{"Query", query("PK = :p AND SK >= :x"), protocol.Request{Reads: of("", "", "")}},
		{"Query", query("SK = :p"), protocol.Request{Reads: of("", "", "")}},
		{"Query", query("PK = :none"), protocol.Request{Reads: of("", "", "")}},
		{"Scan", `{"TableName":"TABLE"}`, protocol.Request{Reads: of("", "", "")}},
		{"PutItem", `{"TableName":"TABLE","Item":` + a1 + `}`, protocol.Request{Writes: keys("a/1")}},
		{"UpdateItem", `{"TableName":"TABLE","Key":` + a1 + `}`, protocol.Request{Writes: keys("a/1")}},
		{"DeleteItem", `{"TableName":"TABLE","Key":` + a1 + `}`, protocol.Request{Writes: keys("a/1")}},
		{"TransactWriteItems", `{"ClientRequestToken":"token","TransactItems":[{"Put":{"TableName":"TABLE","Item":` + c1 + `}},{"ConditionCheck":{"TableName":"TABLE","Key":` + a1 +
			`}},{"Delete":{"TableName":"TABLE","Key":` + b1 + `}}]}`, protocol.Request{Token: "token", Writes: keys("b/1", "c/1"), Checks: keys("a/1")}},
		{"DescribeTable", `{"TableName":"TABLE"}`, protocol.Request{}},
	} {
		post(t, f.mode, c.operation, strings.ReplaceAll(c.body, "TABLE", *f.name))
		got := f.requests[len(f.requests)-1]
		known := protocol.Request{Operation: got.Operation, Token: got.Token, Reads: got.Reads, Writes: got.Writes, Checks: got.Checks}
		c.want.Operation = c.operation
		assert.True(t, reflect.DeepEqual(known, c.want), "got %+v, want %+v", known, c.want)
	}
}
