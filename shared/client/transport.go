package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Transport makes single exchanges with the API: no session, no repetition, no interpretation. Tests and tools that
// must see what is sent and answered use it as it is. It may be used by many at once.
type Transport struct {
	API   string         // base URL, without a slash at the end
	HTTP  *http.Client   // nil: a client with no time-out of its own
	Trace func(Exchange) // is told of each exchange when it is over; nil: nobody is
}

// Request is what is sent. A body of type string or json.RawMessage goes as it is, any other as its JSON, and nil not at
// all.
type Request struct {
	Method, Path string // the path with its query
	Token        string // the access token; "" sends none
	Body         any
	Header       http.Header // besides, and in place of, what the transport sets; names are sent as they are written
}

// Answer is what came back, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Exchange is a request with what became of it.
type Exchange struct {
	Request Request
	Answer  Answer // zero where there was none
	Err     error  // of the connection
	Took    time.Duration
}

// Send makes one exchange. The error is that of the connection: every answer, also of a failure, is an Answer.
func (t *Transport) Send(ctx context.Context, r Request) (Answer, error) {
	panic("not there yet")
}

// Read decodes the body of an answer with the wanted status into v; nil leaves the body unread. An answer of another
// status is an *Error.
func (a Answer) Read(status int, v any) error {
	_ = json.Unmarshal
	panic("not there yet")
}
