package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// maxPayloadBytes is the largest answer that Lambda accepts from a function: 6 MiB and 100 bytes.
	maxPayloadBytes = 6_291_556
	// gzipBytes is the size from which render compresses a body.
	gzipBytes = 16 * 1024
)

// Response is the result of a handler. render turns the body into JSON.
type Response struct {
	Status int
	Body   any
	Header map[string]string // in addition to the headers of every answer
}

// OK returns a 200 with the body.
func OK(body any) Response { return Response{Status: http.StatusOK, Body: body} }

// Created returns a 201 with the body.
func Created(body any) Response { return Response{Status: http.StatusCreated, Body: body} }

// Refuse returns the response for a refusal, with the HTTP status of its code.
func Refuse(r *game.Refusal) Response {
	return Response{Status: statuses[r.Code], Body: errorBody{Error: r.Code, Message: r.Message, Details: r.Details}}
}

// codeInternal is the error code of every 500. The rules never refuse a request with this code.
const codeInternal game.Code = "INTERNAL_ERROR"

// Fault returns the response to a fault of the service: a 500 with the message, or without a message if it is "".
func Fault(message string) Response {
	return Response{Status: http.StatusInternalServerError, Body: errorBody{Error: codeInternal, Message: message}}
}

// busy returns a 503 with the body that API Gateway itself sends with a 503. The response asks the client to repeat the
// request in 1 to 3 seconds. The time is random, so that not all clients repeat at once.
func busy() Response {
	return Response{
		Status: http.StatusServiceUnavailable, Body: map[string]string{"message": http.StatusText(http.StatusServiceUnavailable)},
		Header: map[string]string{"Retry-After": strconv.Itoa(1 + rand.IntN(3))},
	}
}

// everyAnswer holds the headers of every answer. With these headers, no cache keeps an answer. A browser that opens an
// answer as a page saves it as a file: the browser runs and loads nothing, shows the answer in no frame, and sends its
// address to no other site. For a year after an answer, a browser calls the API only with TLS.
var everyAnswer = map[string]string{
	"Content-Disposition":       `attachment; filename="api.json"`,
	"Content-Type":              "application/json",
	"Cache-Control":             "no-store",
	"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
	"Strict-Transport-Security": "max-age=31536000; includeSubDomains",
	"Referrer-Policy":           "no-referrer",
	"X-Content-Type-Options":    "nosniff",
}

// statuses maps the code of each refusal to an HTTP status (docs/rules.md, S7). Protected has an exception for 401.
var statuses = map[game.Code]int{
	game.CodeValidation:         http.StatusBadRequest,
	game.CodeMissingToken:       http.StatusBadRequest,
	game.CodeInvalid:            http.StatusBadRequest,
	game.CodeInsufficientGold:   http.StatusBadRequest,
	game.CodeAlreadyClaimed:     http.StatusBadRequest,
	game.CodeInvalidCredentials: http.StatusUnauthorized,
	game.CodeOAuthAccount:       http.StatusUnauthorized,
	game.CodeInvalidToken:       http.StatusUnauthorized,
	game.CodeUnauthorized:       http.StatusUnauthorized,
	game.CodeBanned:             http.StatusForbidden,
	game.CodeNotFound:           http.StatusNotFound,
	game.CodeConflict:           http.StatusConflict,
	game.CodeDuplicate:          http.StatusConflict,
}

type errorBody struct {
	Error   game.Code           `json:"error"`
	Message string              `json:"message,omitempty"`
	Details map[string][]string `json:"details,omitempty"`
}

// with returns a copy of the response with one more header.
func (r Response) with(name, value string) Response {
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header[name] = value
	return r
}

// render returns the response in API Gateway's form. If the client accepts gzip, render compresses a body of gzipBytes
// or more. It returns an error if the body cannot be encoded as JSON, or if the answer exceeds Lambda's limit.
func render(r Response, ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	body, err := encode(r.Body)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("cannot write the response's body as JSON: %w", err)
	}
	out := events.APIGatewayV2HTTPResponse{StatusCode: r.Status, Headers: maps.Clone(everyAnswer), Body: string(body)}
	maps.Copy(out.Headers, r.Header)
	if len(body) >= gzipBytes {
		out.Headers["Vary"] = "Accept-Encoding"
		if acceptsGzip(header(ev, "accept-encoding")) {
			out.Headers["Content-Encoding"] = "gzip"
			out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(compress(body)), true
		}
	}
	payload, err := encode(out)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("cannot write the answer to Lambda as JSON: %w", err)
	}
	if len(payload) > maxPayloadBytes {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("the answer has %d bytes, but Lambda accepts at most %d: the endpoint must return less at once", len(payload), maxPayloadBytes)
	}
	return out, nil
}

// encode returns v as JSON as the Lambda library does: without escapes for <, > and &, and without a last line break.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// compressors keeps compressors for later answers, because each has 800 KB of tables.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	// Writing to memory does not fail.
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
