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
	// maxPayloadBytes is what Lambda takes of a function's answer: 6 MB and 100 bytes.
	maxPayloadBytes = 6_291_556
	// gzipBytes is the size from which compressing a body is worth its time.
	gzipBytes = 16 * 1024
)

// Response is what a handler answers. The body is rendered as JSON.
type Response struct {
	Status int
	Body   any
	Header map[string]string // besides those that every answer has
}

// OK is a 200 with the body.
func OK(body any) Response { return Response{Status: http.StatusOK, Body: body} }

// Created is a 201 with the body.
func Created(body any) Response { return Response{Status: http.StatusCreated, Body: body} }

// Refuse is the answer that a refusal becomes.
func Refuse(r *game.Refusal) Response {
	return Response{Status: statuses[r.Code], Body: errorBody{Error: r.Code, Message: r.Message, Details: r.Details}}
}

// codeInternal is the error of every 500. It is no refusal: the rules never give it.
const codeInternal game.Code = "INTERNAL_ERROR"

// Fault is a 500 with the message, "" for none: the answer to a fault of the service.
func Fault(message string) Response {
	return Response{Status: http.StatusInternalServerError, Body: errorBody{Error: codeInternal, Message: message}}
}

// busy is a 503 with API Gateway's own body for that, and asks the client to come back in 1 to 3 seconds: not everybody
// at once.
func busy() Response {
	return Response{
		Status: http.StatusServiceUnavailable, Body: map[string]string{"message": http.StatusText(http.StatusServiceUnavailable)},
		Header: map[string]string{"Retry-After": strconv.Itoa(1 + rand.IntN(3))},
	}
}

// everyAnswer are the headers that every answer has. An answer is data, and no cache keeps it. If a browser opens it as
// a page, it saves a file: it runs nothing, loads nothing, shows it in no frame and sends its address to no other site.
// The browser uses TLS alone for another year.
var everyAnswer = map[string]string{
	"Content-Disposition":       `attachment; filename="api.json"`,
	"Content-Type":              "application/json",
	"Cache-Control":             "no-store",
	"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
	"Strict-Transport-Security": "max-age=31536000; includeSubDomains",
	"Referrer-Policy":           "no-referrer",
	"X-Content-Type-Options":    "nosniff",
}

// statuses gives every refusal's code its HTTP status (docs/rules.md, S7).
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

// with returns the response with one more header.
func (r Response) with(name, value string) Response {
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header[name] = value
	return r
}

// render returns the response as API Gateway takes it, compressed where that is worth it and the client accepts it. The
// error says that the body is no JSON, or that Lambda would not take the answer for its size.
func render(r Response, ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	body, err := encode(r.Body)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("encode the response: %w", err)
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
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("encode the payload: %w", err)
	}
	if len(payload) > maxPayloadBytes {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("the answer has %d bytes, and Lambda allows %d", len(payload), maxPayloadBytes)
	}
	return out, nil
}

// encode writes JSON as the Lambda library does: characters that mean something in HTML stay as they are, and there is
// no line break at the end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// compressors are kept from one answer to the next: each has 800 KB of tables.
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
