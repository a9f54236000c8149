package client

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Transport sends single requests to the API. It has no session, and does not interpret answers. It is safe for
// concurrent use.
type Transport struct {
	API   string         // base URL, without a slash at the end
	HTTP  *http.Client   // nil means a client that such Transports share. Send follows no redirects in any case
	Trace func(Exchange) // receives each request with its answer, with passwords and tokens; may be nil
}

// Request is a request to the API.
type Request struct {
	Method string
	Path   string      // with the query
	Token  string      // the access token; "" sends none
	Body   any         // Send sends a string or json.RawMessage as it is, no body for nil, and any other value as JSON
	Header http.Header // further headers, which replace the Transport's. Send does not change the case of names
}

// Answer is the answer to a Request, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // as received, perhaps compressed: Plain decompresses it
}

// Exchange is a Request with its Answer or error.
type Exchange struct {
	Request Request
	Answer  Answer        // the zero value if none came
	Err     error         // of the connection, or nil
	Took    time.Duration // until the whole answer or the error came
}

// keepAlive keeps connections open. It waits longer for an answer than API Gateway does, which waits for 30 s.
var keepAlive = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: connections(), Timeout: 35 * time.Second}
})

// connections returns a transport for one API. It closes an HTTP/2 connection that has been silent for five seconds and
// does not answer a ping within three: all later calls would use the dead connection.
func connections() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 32
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 3 * time.Second}
	return t
}

// mostBytes limits the size of an answer, decompressed. The largest show that the service can answer (45,000 entries)
// has 18 MB.
const mostBytes = 32 << 20

var errTooLarge = fmt.Errorf("the answer has more than %d MB", mostBytes>>20)

// Send sends a request and returns its answer. A refusal or a failure of the service is an Answer, too. If the request
// cannot be made, no complete answer comes, or the answer exceeds 32 MB, Send returns an error. Unless the caller has
// cancelled the call, Send then closes idle connections: the next request must not take another dead one.
func (t *Transport) Send(ctx context.Context, r Request) (Answer, error) {
	began := time.Now()
	answer, err := t.send(ctx, r)
	if t.Trace != nil {
		t.Trace(Exchange{Request: r, Answer: answer, Err: err, Took: time.Since(began)})
	}
	return answer, err
}

func (t *Transport) send(ctx context.Context, r Request) (_ Answer, err error) {
	var body io.Reader
	if r.Body != nil {
		encoded, err := encode(r.Body)
		if err != nil {
			return Answer{}, err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, t.API+r.Path, body)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	maps.Copy(request.Header, r.Header)
	sender := *cmp.Or(t.HTTP, keepAlive())
	sender.CheckRedirect = noRedirection
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) {
			sender.CloseIdleConnections()
		}
	}()
	response, err := sender.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode, Header: response.Header}
	content, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	switch {
	case err != nil:
		return Answer{}, fmt.Errorf("%s %s: the answer broke off: %w", r.Method, r.Path, err)
	case len(content) > mostBytes:
		return answer, errTooLarge
	}
	answer.Body = content
	return answer, nil
}

// noRedirection makes a redirect the answer. The API sends no redirects, so the target must not get passwords or
// tokens, and a change must not become a GET.
func noRedirection(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case string:
		return []byte(body), nil
	case json.RawMessage:
		return body, nil
	}
	return json.Marshal(body)
}

// Plain returns the body, and decompresses it if it is compressed. A body can be compressed if the request's Header
// asks for gzip, or if the http.Client does not decompress. If the result exceeds 32 MB, Plain returns an error.
func (a Answer) Plain() ([]byte, error) {
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.Body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(a.Body))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if len(plain) > mostBytes {
		return nil, errTooLarge
	}
	return plain, err
}

// Code is the reason why the service refused or failed, for programs.
type Code string

// Closed is the code of every answer while an operator keeps the service closed.
const Closed Code = "CLOSED"

// Error is an answer that has not the wanted status, or whose body cannot be read.
type Error struct {
	Status  int    // of HTTP
	Code    Code   // of the service; "" if the answer has none
	Message string // the service's sentence with the details, or the reason why the body cannot be read; may be ""
}

// Error returns the status, the code and the message.
func (e *Error) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the service answered %d %s %s", e.Status, e.Code, e.Message))
}

// CodeOf returns the Code of the *Error that err is or wraps, and "" for all other errors and nil.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Read decodes the JSON body into v if the answer has the status. If v is nil, Read does not read the body. If the
// status is another, or the body cannot be decoded, the error is an *Error.
func (a Answer) Read(status int, v any) error {
	plain, err := a.Plain()
	if a.Status != status {
		var refusal struct {
			Error   Code
			Message string
			Details json.RawMessage
		}
		_ = json.Unmarshal(plain, &refusal) // other text than JSON has no code
		return &Error{a.Status, refusal.Error, refusal.Message + string(refusal.Details)}
	}
	if v != nil && err == nil {
		err = json.Unmarshal(plain, v)
	}
	if v != nil && err != nil {
		return &Error{Status: a.Status, Message: "with a body that cannot be read: " + err.Error()}
	}
	return nil
}
