package client

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

// Transport makes single exchanges with the API: no session, no repetition, no interpretation. Tests and tools that
// must see what is sent and answered use it as it is. It may be used by many at once.
type Transport struct {
	API   string         // base URL, without a slash at the end
	HTTP  *http.Client   // nil: http.DefaultClient. It follows no redirection, whatever its CheckRedirect says
	Trace func(Exchange) // is told of each exchange when it is over; nil: nobody is
}

// Request is what is sent. A body of type string or json.RawMessage goes as it is, any other as its JSON, and nil not
// at all.
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

// mostBytes is what an answer has at most, unpacked. The largest show that the service can answer, of some 45,000
// entries, has 18 MB.
const mostBytes = 32 << 20

var errTooLarge = fmt.Errorf("the answer has more than %d MB", mostBytes>>20)

// Send makes one exchange. The error is that of the connection, or says that the answer is too large: every other
// answer, also of a failure, is an Answer.
func (t *Transport) Send(ctx context.Context, r Request) (Answer, error) {
	began := time.Now()
	answer, err := t.send(ctx, r)
	if t.Trace != nil {
		t.Trace(Exchange{Request: r, Answer: answer, Err: err, Took: time.Since(began)})
	}
	return answer, err
}

func (t *Transport) send(ctx context.Context, r Request) (Answer, error) {
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

// noRedirection makes a redirection an answer like any other. It is none of the API's: where it leads to is no place
// for passwords and tokens, and a change must not become a GET.
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

// Plain is the body as it was before it was compressed. It is compressed where the request has asked for gzip itself,
// or an http.Client that does not unpack what it gets.
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

// Read decodes the body of an answer with the wanted status into v; nil leaves the body unread. An answer of another
// status is an *Error.
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
		return a.unexpected("there is nothing in it")
	}
	return nil
}

// unexpected is the error of an answer that the contract does not have.
func (a Answer) unexpected(why string) *Error {
	return &Error{Status: a.Status, Code: Unexpected, Message: "The service's answer was not understood: " + why, RequestID: a.requestID()}
}

// refusal reads what an answer other than the wanted one says.
func (a Answer) refusal() *Error {
	said := struct {
		Error   Code                `json:"error"`
		Message string              `json:"message"`
		Details map[string][]string `json:"details"`
	}{}
	if a.Status >= http.StatusBadRequest { // else it refuses nothing
		plain, _ := a.Plain()
		_ = json.Unmarshal(plain, &said) // what is no JSON has said nothing
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

// requestID is what the service's log knows the exchange by.
func (a Answer) requestID() string { return a.Header.Get("Apigw-Requestid") }
