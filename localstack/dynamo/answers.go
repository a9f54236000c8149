package dynamo

import (
	"encoding/json"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// The refusals as DynamoDB has them (API Reference, "Common Errors" and the operations' own; Developer Guide, "Error
// handling with DynamoDB").
const (
	messageThroughput = "The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	messageThrottling = "Throughput exceeds the current capacity of your table or index."
	messageServer     = "The request processing has failed because of an unknown error, exception or failure."
	throttling        = "com.amazon.coral.availability#ThrottlingException"
)

func exception(a *attempt, status int, kind, message string) *http.Response {
	return respond(a, status, map[string]string{"__type": kind, "message": message})
}

func respond(a *attempt, status int, value any) *http.Response {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values have no way to fail
	}
	return protocol.Respond(a.http, status, body)
}

// serverError is a 500.
func serverError(a *attempt) *http.Response {
	return exception(a, http.StatusInternalServerError, protocol.Namespace+"InternalServerError", messageServer)
}

// conflict refuses a request for one of its items.
func conflict(a *attempt, d decision) *http.Response {
	if !transaction(a) {
		return respond(a, http.StatusBadRequest, protocol.Conflict())
	}
	return cancelled(a, d, protocol.Reason{Code: "TransactionConflict", Message: protocol.MessageConflict})
}

// throttled refuses a request for the capacity of an item's partition, or the table's.
func throttled(a *attempt, d decision) *http.Response {
	switch {
	case d.second:
		return exception(a, http.StatusBadRequest, throttling, messageThrottling)
	case transaction(a):
		return cancelled(a, d, protocol.Reason{Code: "ThrottlingError", Message: messageThrottling})
	}
	return exception(a, http.StatusBadRequest, protocol.Namespace+"ProvisionedThroughputExceededException", messageThroughput)
}

func transaction(a *attempt) bool {
	return a.Operation == "TransactWriteItems" || a.Operation == "TransactGetItems"
}

// cancelled is a transaction's refusal for one of its items.
func cancelled(a *attempt, d decision, reason protocol.Reason) *http.Response {
	reasons := make([]protocol.Reason, len(a.Reads)+len(a.Writes)+len(a.Checks))
	for i := range reasons {
		reasons[i] = protocol.Reason{Code: "None"}
	}
	reasons[int(d.pick*float64(len(reasons)))] = reason
	return respond(a, http.StatusBadRequest, protocol.Cancelled(reasons))
}
