package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Weakened is a transport to an engine that changes writes of players' transactions, as if the store had a bug. It does
// not change transactions of operators, which it recognizes by their audit record.
type Weakened struct {
	http.RoundTripper
	Weaken func(write map[string]any) // changes a Put, Update, Delete or ConditionCheck, in DynamoDB's JSON
}

// RoundTrip sends the request to the engine, with weakened writes if it is a player's transaction.
func (w Weakened) RoundTrip(r *http.Request) (*http.Response, error) {
	if protocol.Operation(r) != "TransactWriteItems" {
		return w.RoundTripper.RoundTrip(r)
	}
	var request map[string]any
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, json.Unmarshal(body, &request)); err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte(`"AUDIT#`)) {
		return w.RoundTripper.RoundTrip(protocol.WithBody(r, body))
	}
	for _, item := range request["TransactItems"].([]any) {
		for _, write := range item.(map[string]any) {
			w.Weaken(write.(map[string]any))
		}
	}
	if body, err = json.Marshal(request); err != nil {
		return nil, err
	}
	return w.RoundTripper.RoundTrip(protocol.WithBody(r, body))
}
