package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Engine sends requests to a DynamoDB-compatible engine with Next.
type Engine struct{ Next http.RoundTripper }

// Answer is an engine's response, with its whole body.
type Answer struct {
	*http.Response
	Body []byte
}

// OK reports whether the engine has executed the request: the status is 200.
func (a *Answer) OK() bool { return a.StatusCode == http.StatusOK }

// Failed reports whether the response is the exception of this name, such as "ConditionalCheckFailedException".
func (a *Answer) Failed(exception string) bool {
	return !a.OK() && strings.HasSuffix(gjson.GetBytes(a.Body, "__type").Str, "#"+exception)
}

// Deliver returns the response with the current Body, for the client.
func (a *Answer) Deliver() *http.Response {
	SetBody(a.Response, a.Body)
	return a.Response
}

// Send sends a body to the engine with the headers of the request r, and returns the response.
func (e Engine) Send(r *http.Request, body []byte) (*Answer, error) {
	r = WithBody(r, body)
	r.Header = r.Header.Clone()
	r.Header.Set("Accept-Encoding", "identity") // uncompressed, for the simulator to parse
	response, err := e.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	a := &Answer{Response: response}
	a.Body, err = ReadAll(response.Body, response.ContentLength)
	return a, err
}

// Ask executes an operation on the engine for the simulator itself, with the headers of the request r. It returns the
// body of the response, and an error if the status is not 200 or a part of a batch is unprocessed, as above 16 MB.
func (e Engine) Ask(ctx context.Context, r *http.Request, operation string, body []byte) ([]byte, error) {
	r = r.Clone(ctx)
	service, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	r.Header.Set("X-Amz-Target", service+"."+operation)
	a, err := e.Send(r, body)
	if err == nil && (!a.OK() || gjson.GetBytes(a.Body, "Unprocessed*.*").Exists()) {
		err = fmt.Errorf("%s %s", a.Status, a.Body)
	}
	if err != nil {
		return nil, fmt.Errorf("protocol: %s: %w", operation, err)
	}
	return a.Body, nil
}

// Pass sends a request to the engine unchanged, and returns the response.
func (e Engine) Pass(r *Request) (*http.Response, error) {
	out := r.HTTP
	if out.Body != nil {
		out = WithBody(out, r.Body)
	}
	return e.Next.RoundTrip(out)
}

// CloseIdleConnections closes the idle connections of the transport Next.
func (e Engine) CloseIdleConnections() {
	if below, ok := e.Next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// Operation returns the operation of a request, such as "GetItem".
func Operation(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}

// Respond returns a response to the request with the headers that DynamoDB sends.
func Respond(r *http.Request, status int, body []byte) *http.Response {
	response := &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{
			"Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Crc32": {"0"}, "X-Amzn-Requestid": {rand.Text()},
		},
	}
	SetBody(response, body)
	return response
}

// SetBody replaces the body of a response, and the headers that depend on it.
func SetBody(r *http.Response, body []byte) {
	r.ContentLength, r.TransferEncoding = int64(len(body)), nil
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Header.Get("X-Amz-Crc32") != "" {
		r.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
}

// WithBody returns a copy of the request r with another body. The copy shares the headers of r.
func WithBody(r *http.Request, body []byte) *http.Request {
	r = r.WithContext(r.Context())
	r.ContentLength, r.TransferEncoding = int64(len(body)), nil
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}

// ReadAll reads and closes a body. length is the expected length in bytes, and only saves allocations.
func ReadAll(body io.ReadCloser, length int64) ([]byte, error) {
	defer body.Close()
	var b bytes.Buffer
	if length > 0 && length < 32<<20 {
		b.Grow(int(length) + bytes.MinRead)
	}
	_, err := b.ReadFrom(body)
	return b.Bytes(), err
}
