package protocol

import (
	"net/http"
	"strings"
)

const (
	namespace    = "com.amazonaws.dynamodb.v20120810#"
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

type exception struct {
	Type    string `json:"__type"`
	Message string `json:"message"`
}

// These are the refusals that do not depend on the request.
var (
	// Conflict refuses a plain write of an item that a transaction holds.
	Conflict = Refusal{400, exception{namespace + "TransactionConflictException", messages["TransactionConflict"]}}
	// InProgress refuses a transaction because another transaction with the same token is running.
	InProgress = Refusal{400, struct {
		Type    string `json:"__type"`
		Message string
	}{namespace + "TransactionInProgressException", "The transaction with the given request token is already in progress."}}
	// InternalError is a failure after which the request may or may not have been applied.
	InternalError = Refusal{500, exception{namespace + "InternalServerError", "The request processing has failed because of an unknown error, exception or failure."}}
	// Unavailable is a 503 with an error code for which AWS's SDKs have no type.
	Unavailable = Refusal{503, exception{availability + "ServiceUnavailableException", "The service is currently unavailable or busy."}}
	// Denied refuses a request that the caller's role does not allow.
	Denied = Refusal{400, exception{"com.amazon.coral.service#AccessDeniedException", "The caller is not authorized to perform this operation."}}
	// Unsigned refuses a request whose signature does not fit it.
	Unsigned = Refusal{400, exception{"com.amazon.coral.service#InvalidSignatureException",
		"The request signature we calculated does not match the signature you provided."}}
	// Skewed refuses a request that was signed at another time.
	Skewed = Refusal{400, exception{"com.amazon.coral.service#RequestTimeTooSkewed",
		"The difference between the request time and the server's time is too large."}}
)

// PartitionThrottled refuses a request because it exceeds the capacity of a partition. The Developer Guide shows this
// form for a busy partition, and users report it for reads of on-demand tables.
func PartitionThrottled() Refusal {
	return Refusal{400, exception{namespace + "ProvisionedThroughputExceededException",
		"The level of configured provisioned throughput for the table was exceeded. " +
			"Consider increasing your provisioning level with the UpdateTable API."}}
}

// TableThrottled refuses a request because it exceeds the capacity of an on-demand table.
func TableThrottled() Refusal {
	return Refusal{400, exception{availability + "ThrottlingException", messages["ThrottlingError"]}}
}

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

// Conflicts cancels a transaction because other transactions hold its items: item i if held[i] is true.
func Conflicts(held []bool) Refusal {
	codes := make([]string, len(held))
	for i, is := range held {
		codes[i] = "None"
		if is {
			codes[i] = "TransactionConflict"
		}
	}
	return Cancelled(codes...)
}
