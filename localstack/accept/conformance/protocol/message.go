// Package protocol defines the messages between the suite and its drivers. driver/README.md explains them.
package protocol

import "encoding/json"

// Request is a message to a driver, one line of JSON. Fields that the operation does not need are missing.
type Request struct {
	ID        int             `json:"id"`
	Op        string          `json:"op"`
	Client    string          `json:"client,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	API       string          `json:"api,omitempty"`
	Store     string          `json:"store,omitempty"`
	Attempts  int             `json:"attempts,omitempty"`
	TimeoutMs int64           `json:"timeoutMs,omitempty"`
	Stuck     bool            `json:"stuck,omitempty"`
	SlowMs    int64           `json:"slowMs,omitempty"`
	ForwardMs int64           `json:"forwardMs,omitempty"`
	Of        int             `json:"of,omitempty"`
}

// Message is a message from a driver, one line of JSON: the answer to the request with its ID, or an event of a client.
type Message struct {
	ID     int             `json:"id,omitempty"`
	OK     json.RawMessage `json:"ok,omitempty"`
	Error  *Failure        `json:"error,omitempty"`
	Event  *Event          `json:"event,omitempty"`
	Client string          `json:"client,omitempty"`
}

// The kinds of failures.
const (
	API       = "api"
	Network   = "network"
	Unknown   = "unknown"
	Ended     = "ended"
	Cancelled = "cancelled"
	Other     = "other"
)

// Failure is the error of a call. Its kind decides which fields it has.
type Failure struct {
	Kind      string              `json:"kind"`
	Status    int                 `json:"status,omitempty"`
	Code      string              `json:"code,omitempty"`
	Message   string              `json:"message,omitempty"`
	Details   map[string][]string `json:"details,omitempty"`
	RequestID string              `json:"requestId,omitempty"`
	Operation string              `json:"operation,omitempty"`
	Advice    string              `json:"advice,omitempty"`
	Cause     *Failure            `json:"cause,omitempty"`
	Reason    string              `json:"reason,omitempty"`
}

// Event is an event of a client, such as a change of its session.
type Event struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
}
