package protocol

import (
	"net/http"
	"strings"
)

const (
	namespace    = "com.amazonaws.dynamodb.v20120810#"
	coral        = "com.amazon.coral.service#"
	availability = "com.amazon.coral.availability#"
)

// Refusal is an error response of DynamoDB. The sources are the API Reference (for each operation, and "Common Errors")
// and the Developer Guide, "Error handling with DynamoDB".
type Refusal struct {
	Status int
	Body   any
}

// Respond returns the refusal as the response to a request.
func (f Refusal) Respond(r *http.Request) *http.Response {
	return Respond(r, f.Status, Marshal(f.Body))
}

// refusal returns a Refusal with an exception of this type, which has its namespace.
func refusal(status int, exception, message string) Refusal {
	return Refusal{status, struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{exception, message}}
}

// These are the refusals that do not depend on the request.
var (
	// Conflict refuses a plain write of an item that a transaction holds.
	Conflict = refusal(400, namespace+"TransactionConflictException", messages["TransactionConflict"])
	// InProgress refuses a transaction because another transaction with the same token is running.
	InProgress = Refusal{400, map[string]string{"__type": namespace + "TransactionInProgressException",
		"Message": "The transaction with the given request token is already in progress."}}
	// InternalError is a failure after which the request may or may not have been applied.
	InternalError = refusal(500, namespace+"InternalServerError",
		"The request processing has failed because of an unknown error, exception or failure.")
	// Unavailable is a 503 with an error code for which AWS's SDKs have no type.
	Unavailable = refusal(503, availability+"ServiceUnavailableException", "The service is currently unavailable or busy.")
	// Denied refuses a request that the caller's role does not allow.
	Denied = refusal(400, coral+"AccessDeniedException", "The caller is not authorized to perform this operation.")
	// Unsigned refuses a request whose signature does not fit it.
	Unsigned = refusal(400, coral+"InvalidSignatureException",
		"The request signature we calculated does not match the signature you provided.")
	// Skewed refuses a request that was signed at another time.
	Skewed = refusal(400, coral+"RequestTimeTooSkewed",
		"The difference between the request time and the server's time is too large.")
	// PartitionThrottled refuses a request because it exceeds the capacity of a partition. The Developer Guide shows
	// this form for a busy partition, and users report it for reads of on-demand tables.
	PartitionThrottled = refusal(400, namespace+"ProvisionedThroughputExceededException",
		"The level of configured provisioned throughput for the table was exceeded. "+
			"Consider increasing your provisioning level with the UpdateTable API.")
	// TableThrottled refuses a request because it exceeds the capacity of an on-demand table.
	TableThrottled = refusal(400, availability+"ThrottlingException", messages["ThrottlingError"])
)

// messages has the message for each code with which the simulator cancels transactions.
var messages = map[string]string{
	"TransactionConflict": "Transaction is ongoing for the item",
	"ThrottlingError": "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " +
		"index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html.",
}

// Cancelled returns a TransactionCanceledException (API Reference). codes has one code for each item, in order: "None"
// for an item that is not a reason for the cancellation.
func Cancelled(codes ...string) Refusal {
	type reason struct {
		Code    string
		Message string `json:",omitempty"`
	}
	reasons := make([]reason, len(codes))
	for i, code := range codes {
		reasons[i] = reason{code, messages[code]}
	}
	return Refusal{400, struct {
		Type                string `json:"__type"`
		Message             string
		CancellationReasons []reason
	}{
		namespace + "TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
		reasons,
	}}
}

// CancelledFor returns a Cancelled with the code for each item i for which is[i] is true.
func CancelledFor(code string, is []bool) Refusal {
	codes := make([]string, len(is))
	for i := range is {
		codes[i] = "None"
		if is[i] {
			codes[i] = code
		}
	}
	return Cancelled(codes...)
}
