package capacity_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// BenchmarkOverhead measures what the limits add to a request: the engine is an imitation that answers at once. The
// line "bare" is that imitation and its client alone.
func BenchmarkOverhead(b *testing.B) {
	const k = `"PK":{"S":"USER#0198d4be-9a5c-7c3e-8d6f-0123456789ab"},"SK":{"S":"ANIMAL#0198d4be-9a5c-7c3e-8d6f-%012d"}`
	var keys, items, actions []string
	for i := range 100 {
		one := fmt.Sprintf(k, i)
		keys = append(keys, "{"+one+"}")
		items = append(items, "{"+one+`,"na":{"S":"Thunder"},"co":{"N":"100"},"ph":{"L":[`+strings.Repeat(`{"N":"50"},`, 40)+`{"N":"1"}]}}`)
	}
	for i := range 6 {
		actions = append(actions, `{"Update":{"TableName":"t","Key":`+keys[i]+`,"UpdateExpression":"SET n = n + :one","ConditionExpression":"n = :seen",`+
			`"ExpressionAttributeValues":{":one":{"N":"1"},":seen":{"N":"7"}}}}`)
	}
	consumed := `"ConsumedCapacity":{"TableName":"t","CapacityUnits":%d}`
	get := [2]string{`{"TableName":"t","ConsistentRead":true,"Key":` + keys[0] + `}`, `{"Item":` + items[0] + `,` + fmt.Sprintf(consumed, 1) + `}`}
	for _, c := range []struct {
		name, operation string
		bodies          [2]string
		bare            bool
	}{
		{"bare", "GetItem", get, true},
		{"GetItem", "GetItem", get, false},
		{"BatchGetItem of 100", "BatchGetItem", [2]string{
			`{"RequestItems":{"t":{"ConsistentRead":true,"Keys":[` + strings.Join(keys, ",") + `]}}}`,
			`{"Responses":{"t":[` + strings.Join(items, ",") + `]},"UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"t","CapacityUnits":100}]}`,
		}, false},
		{"Query of 1 MB", "Query", [2]string{
			`{"TableName":"t","ConsistentRead":true,"KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"SHOW#1#0"}}}`,
			`{"Items":[` + strings.Join(items, ",") + strings.Repeat(","+strings.Join(items, ","), 15) + `],"Count":1600,` + fmt.Sprintf(consumed, 256) + `}`,
		}, false},
		{"TransactWriteItems of 6", "TransactWriteItems", [2]string{`{"TransactItems":[` + strings.Join(actions, ",") + `]}`, `{"ConsumedCapacity":[{"TableName":"t","CapacityUnits":12}]}`}, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := capacity.Fresh().Scale(1e-9)
			o.Latencies, o.Hold = capacity.Latencies{}, 1
			var through http.RoundTripper = imitation{0, map[string]string{c.operation: c.bodies[1]}}
			if !c.bare {
				through = capacity.New(o).Transport(through)
			}
			b.SetBytes(int64(len(c.bodies[0]) + len(c.bodies[1])))
			b.ReportAllocs()
			for b.Loop() {
				r, err := http.NewRequest(http.MethodPost, "http://localhost", strings.NewReader(c.bodies[0]))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+c.operation)
				r.Header.Set("Accept-Encoding", "identity")
				response, err := through.RoundTrip(r)
				if err != nil || response.StatusCode != http.StatusOK {
					b.Fatal(response, err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					b.Fatal(err)
				}
				response.Body.Close()
			}
		})
	}
}
