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
	"time"
)

// Transport sends single requests to the API. It has no session, repeats nothing and does not interpret answers. It is
// for tests and tools that must see every answer: games use a Client. It is safe for concurrent use.
type Transport struct {
	API   string         // base URL, without a slash at the end
	HTTP  *http.Client   // nil means http.DefaultClient. Send follows no redirects, whatever CheckRedirect says
	Trace func(Exchange) // receives each request with its answer; may be nil
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
	sender := *cmp.Or(t.HTTP, http.DefaultClient)
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

// Read decodes the JSON body into v if the answer has the status. If v is nil, Read does not read the body. If the
// status is another, or the body cannot be decoded or is null, the error is an *Error.
func (a Answer) Read(status int, v any) error {
	if a.Status != status {
		return a.refusal()
	}
	if v == nil {
		return nil
	}
	plain, err := a.Plain()
	if err != nil {
		return a.unexpected(err.Error())
	}
	if err := json.Unmarshal(plain, v); err != nil {
		return a.unexpected(err.Error())
	}
	if string(bytes.TrimSpace(plain)) == "null" {
		return a.unexpected("its body is null")
	}
	return nil
}

// unexpected returns the error of an answer that is not in the contract.
func (a Answer) unexpected(why string) *Error {
	return &Error{Status: a.Status, Code: Unexpected, Message: "The service's answer was not understood: " + why, RequestID: a.requestID()}
}

// refusal returns the error of an answer that has not the wanted status.
func (a Answer) refusal() *Error {
	said := struct {
		Error   Code                `json:"error"`
		Message string              `json:"message"`
		Details map[string][]string `json:"details"`
	}{}
	if a.Status >= http.StatusBadRequest { // a lower status is no refusal
		plain, _ := a.Plain()
		_ = json.Unmarshal(plain, &said) // other text than JSON has no code
	}
	if said.Error == "" {
		switch a.Status {
		case http.StatusTooManyRequests:
			said.Error = TooManyRequests
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			said.Error = ServiceUnavailable
		default:
			said.Error = Unexpected
		}
	}
	return &Error{Status: a.Status, Code: said.Error, Message: said.Message, Details: said.Details, RequestID: a.requestID()}
}

// requestID returns the id of the request in the service's log.
func (a Answer) requestID() string { return a.Header.Get("Apigw-Requestid") }
