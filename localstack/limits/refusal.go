package limits

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	dynamoDB     = "com.amazonaws.dynamodb.v20120810#"
	availability = "com.amazon.coral.availability#"

	messageProvisioned = "The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	messageScaling = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " +
		"index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."
	messageConflict = "Transaction is ongoing for the item"
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
func throttled(s *schema, d direction, l limit) any {
	reason := "TableReadKeyRangeThroughputExceeded"
	if d == write {
		reason = "TableWriteKeyRangeThroughputExceeded"
	}
	reasons := []throttlingReason{{reason, s.arn}}
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
	}{dynamoDB + "ProvisionedThroughputExceededException", messageProvisioned, reasons}
}

func conflictOfPlainWrite() any {
	return struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{dynamoDB + "TransactionConflictException", messageConflict}
}

func transactionInProgress() any {
	return struct {
		Type    string `json:"__type"`
		Message string
	}{dynamoDB + "TransactionInProgressException", "The transaction with the given request token is already in progress."}
}

type cancellationReason struct {
	Code    string
	Message string `json:",omitempty"`
}

// cancelled is a transaction's refusal (API Reference, TransactionCanceledException): one reason for each item, in
// their order, with the code None and no message where nothing is wrong.
func cancelled(reasons []cancellationReason) any {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return struct {
		Type                string `json:"__type"`
		Message             string
		CancellationReasons []cancellationReason
	}{
		dynamoDB + "TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
		reasons,
	}
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
	return c.respond(http.StatusBadRequest, body), nil
}

// respond makes a response of this package's own.
func (c *call) respond(status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: c.request,
		Header: http.Header{
			"Content-Type":     {"application/x-amz-json-1.0"},
			"Content-Length":   {strconv.Itoa(len(body))},
			"X-Amz-Crc32":      {strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)},
			"X-Amzn-Requestid": {rand.Text()},
		},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}
