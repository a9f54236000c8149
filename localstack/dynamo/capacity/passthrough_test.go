package capacity_test

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// post sends a request as it is, and returns the answer's status, headers and body.
func post(t *testing.T, transport http.RoundTripper, operation, body string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, storetest.Endpoint(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Date", "20260102T030405Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(operation, err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(operation, err)
	}
	if length := response.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(got)) {
		t.Errorf("%s: %s bytes are announced, %d came", operation, length, len(got))
	}
	if sum := response.Header.Get("X-Amz-Crc32"); sum != "" && sum != strconv.FormatUint(uint64(crc32.ChecksumIEEE(got)), 10) {
		t.Errorf("%s: the checksum %s is not that of the body", operation, sum)
	}
	return response.StatusCode, response.Header, got
}

// exchanges are requests of every kind that the store and the tools make, and some that are wrong: TABLE is the table.
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
	{"GetItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}}}`},
	{"GetItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"ConsistentRead":true}`},
	{"GetItem", `{"TableName":"TABLE","Key":{"PK":{"S":"no"},"SK":{"S":"no"}}}`},
	{"GetItem", `{"TableName":"TABLE-not","Key":{"PK":{"S":"a"},"SK":{"S":"2"}}}`},
	{"GetItem", `{"TableName":"TABLE","Key":{}}`},
	{"GetItem", `{"TableName":"TABLE"`},
	{"GetItem", ``},
	{"BatchGetItem", `{"RequestItems":{"TABLE":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"1"}},{"SK":{"S":"none"},"PK":{"S":"b"}}],"ConsistentRead":true}}}`},
	{"BatchGetItem", `{"RequestItems":{"TABLE":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"1"}},{"PK":{"S":"a"},"SK":{"S":"1"}}]}}}`},
	{"BatchGetItem", `{"RequestItems":{}}`},
	{"Query", `{"TableName":"TABLE","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"a"}},"ConsistentRead":true}`},
	{"Query", `{"TableName":"TABLE","KeyConditionExpression":"#p = :p","ExpressionAttributeNames":{"#p":"PK"},"ExpressionAttributeValues":{":p":{"S":"a"}},"Limit":1}`},
	{"Query", `{"TableName":"TABLE","KeyConditionExpression":"x = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}`},
	{"Query", `{"TableName":"TABLE","IndexName":"none","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}`},
	{"Scan", `{"TableName":"TABLE"}`},
	{"Scan", `{"TableName":"TABLE","Limit":1}`},
	{"BatchWriteItem", `{"RequestItems":{"TABLE":[{"PutRequest":{"Item":{"PK":{"S":"w"},"SK":{"S":"1"}}}},{"DeleteRequest":{"Key":{"PK":{"S":"none"},"SK":{"S":"1"}}}}]}}`},
	{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"TABLE","Item":{"PK":{"S":"t"},"SK":{"S":"1"}}}},{"ConditionCheck":{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"1"}},"ConditionExpression":"attribute_exists(PK)"}}]}`},
	{"TransactWriteItems", `{"TransactItems":[{"Update":{"TableName":"TABLE","Key":{"PK":{"S":"t"},"SK":{"S":"1"}},"UpdateExpression":"SET x = :x","ExpressionAttributeValues":{":x":{"N":"1"}}}},{"Delete":{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"1"}},"ConditionExpression":"attribute_not_exists(PK)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}`},
	{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"TABLE","Item":{"PK":{"S":"t"},"SK":{"S":"1"}}}},{"Delete":{"TableName":"TABLE","Key":{"PK":{"S":"t"},"SK":{"S":"1"}}}}]}`},
	{"TransactWriteItems", `{"TransactItems":[]}`},
	{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"1"}}}},{"Get":{"TableName":"TABLE","Key":{"PK":{"S":"no"},"SK":{"S":"1"}}}}]}`},
	{"DeleteItem", `{"TableName":"TABLE","Key":{"PK":{"S":"a"},"SK":{"S":"2"}},"ReturnValues":"ALL_OLD"}`},
	{"UpdateTimeToLive", `{"TableName":"TABLE","TimeToLiveSpecification":{"AttributeName":"other","Enabled":false}}`},
	{"CreateTable", `{"TableName":"TABLE","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`},
	{"NoSuchThing", `{}`},
}

// TestWhatPasses sends every exchange through limits that are far away, as it is and with a wish for the capacity: the
// engine and the client have each other's bytes, but for the capacity that only one side wants to know.
func TestWhatPasses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]capacity.Options{
		"no limits": {}, "limits far away": {PartitionRead: 1e9, PartitionWrite: 1e9, TableRead: 1e9, TableWrite: 1e9, Hold: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, o)
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
	status, header, got := post(t, f.Transport(f.wire), operation, body)
	sent, answered := f.wire.sent, f.wire.received
	if equal := string(sent) == body; !equal && (wished || !sameWithout(sent, []byte(body), "ReturnConsumedCapacity")) {
		t.Errorf("%s: the client sent %s, the engine got %s", operation, body, sent)
	}
	if equal := bytes.Equal(got, answered); !equal && (wished || status != http.StatusOK || !cutOut(got, answered) ||
		!sameWithout(answered, got, "ConsumedCapacity")) {
		t.Errorf("%s: the engine answered %s, the client got %s", operation, answered, got)
	}
	if !wished && bytes.Contains(got, []byte(`"ConsumedCapacity"`)) {
		t.Errorf("%s: the client is told the capacity: %s", operation, got)
	}
	for _, h := range []http.Header{header, f.wire.header} {
		h.Del("Content-Length")
		h.Del("X-Amz-Crc32")
	}
	if !maps.EqualFunc(header, f.wire.header, slices.Equal) {
		t.Errorf("%s: the headers %v became %v", operation, f.wire.header, header)
	}
}

// cutOut reports whether got is the other text without one piece of it.
func cutOut(got, other []byte) bool {
	common := 0
	for common < len(got) && got[common] == other[common] {
		common++
	}
	return bytes.HasSuffix(other, got[common:])
}

// sameWithout reports whether two objects are the same but for one member.
func sameWithout(a, b []byte, member string) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, member)
	delete(y, member)
	return reflect.DeepEqual(x, y)
}

// A table may come back with another key.
func TestATableIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionWrite: 1})
	name := *f.name + "-other"
	through := f.Transport(f.wire)
	for _, partition := range []string{"PK", "SK"} {
		sort := map[string]string{"PK": "SK", "SK": "PK"}[partition]
		for _, request := range [][2]string{
			{"CreateTable", `{"TableName":"` + name + `","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},` +
				`{"AttributeName":"SK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"` + partition + `","KeyType":"HASH"},{"AttributeName":"` + sort + `","KeyType":"RANGE"}]}`},
			{"PutItem", `{"TableName":"` + name + `","Item":{"PK":{"S":"p"},"SK":{"S":"s"}}}`},
			{"DeleteTable", `{"TableName":"` + name + `"}`},
		} {
			if status, _, body := post(t, through, request[0], request[1]); status != http.StatusOK {
				t.Fatalf("%v: %s", request, body)
			}
		}
	}
	var keys []string
	for _, p := range f.Snapshot().Hottest {
		keys = append(keys, p.Key)
	}
	if slices.Sort(keys); !slices.Equal(keys, []string{"p", "s"}) {
		t.Errorf("the partitions are %v", keys)
	}
}
