package storetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Weakened is a transport to an engine that weakens conditions of players' transactions, as if the store had a bug. It
// does not change transactions of operators, which it recognizes by their audit record.
type Weakened struct {
	http.RoundTripper
	// Weaker returns the new condition for the item with this key. It can add to the values of the condition.
	Weaker func(pk, sk, condition string, values map[string]any) string
}

// Always returns a Weaker that makes a condition always true if item returns true for the item's key. The new condition
// still uses all values, because DynamoDB refuses unused values.
func Always(item func(pk, sk string) bool) func(pk, sk, condition string, values map[string]any) string {
	return func(pk, sk, condition string, _ map[string]any) string {
		if !item(pk, sk) {
			return condition
		}
		return "(" + condition + ") OR attribute_exists(PK) OR attribute_not_exists(PK)"
	}
}

// RoundTrip sends the request to the engine. It weakens the conditions of a player's transaction.
func (w Weakened) RoundTrip(r *http.Request) (*http.Response, error) {
	if protocol.Operation(r) != "TransactWriteItems" {
		return w.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err == nil && !bytes.Contains(body, []byte(`"AUDIT#`)) {
		body, err = w.weaken(body)
	}
	if err != nil {
		return nil, err
	}
	return w.RoundTripper.RoundTrip(protocol.WithBody(r, body))
}

func (w Weakened) weaken(body []byte) ([]byte, error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	text := func(key map[string]any, name string) string { return key[name].(map[string]any)["S"].(string) }
	for _, item := range request["TransactItems"].([]any) {
		for kind, action := range item.(map[string]any) {
			action := action.(map[string]any)
			key := "Key"
			if kind == "Put" {
				key = "Item"
			}
			named := action[key].(map[string]any)
			if condition, has := action["ConditionExpression"].(string); has {
				values, _ := action["ExpressionAttributeValues"].(map[string]any)
				if values == nil {
					values = map[string]any{}
				}
				action["ConditionExpression"] = w.Weaker(text(named, "PK"), text(named, "SK"), condition, values)
				if len(values) > 0 {
					action["ExpressionAttributeValues"] = values
				}
			}
		}
	}
	return json.Marshal(request)
}
