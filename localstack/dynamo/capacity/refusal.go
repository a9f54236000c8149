package capacity

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

const (
	availability = "com.amazon.coral.availability#"

	messageProvisioned = "The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	messageScaling = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " +
		"index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."
)

type throttlingReason struct {
	Reason   string `json:"reason"`
	Resource string `json:"resource"`
}

// throttled is the refusal for capacity (API Reference, ThrottlingReason; Developer Guide, "Diagnosing throttling").
// A partition's is a ProvisionedThroughputExceededException whose reason is the key range, which is what the guide
// shows for a hot partition and what reads of tables on demand are reported to get. The table's is the
// ThrottlingException that the guide's "Error handling" has for tables on demand. Its reason is the key range as
// well: a table on demand has no level of its own (MaxOnDemand is one that its owner sets, AccountLimit 40,000
// units); a fresh one has four partitions, and they are all busy. Clients must take both for the same.
func throttled(s *protocol.Schema, d direction, l limit) any {
	reason := "TableReadKeyRangeThroughputExceeded"
	if d == write {
		reason = "TableWriteKeyRangeThroughputExceeded"
	}
	reasons := []throttlingReason{{reason, s.ARN}}
	if l == tableLimit {
		return struct {
			Type    string             `json:"__type"`
			Message string             `json:"message"`
			Reasons []throttlingReason `json:"throttlingReasons"` // this one in lower case
		}{availability + "ThrottlingException", messageScaling, reasons}
	}
	return struct {
		Type    string             `json:"__type"`
		Message string             `json:"message"`
		Reasons []throttlingReason `json:"ThrottlingReasons"`
	}{protocol.Namespace + "ProvisionedThroughputExceededException", messageProvisioned, reasons}
}

// refuse answers without the engine, after the given time.
func (c *call) refuse(exception any, total time.Duration) (*http.Response, error) {
	body, err := json.Marshal(exception)
	if err != nil {
		return nil, err
	}
	if err := c.wait(total); err != nil {
		return nil, err
	}
	return protocol.Respond(c.request, http.StatusBadRequest, body), nil
}
