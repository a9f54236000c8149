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
	// maxPayloadBytes is Lambda's limit of a function's answer: 6 MB and 100 bytes.
	maxPayloadBytes = 6_291_556
	// gzipBytes is the size from which a body is compressed.
	gzipBytes = 16 * 1024
)

// Response is the result of a handler. The body is rendered as JSON.
type Response struct {
	Status int
	Body   any
	Header map[string]string // besides the headers of every answer
}

// OK returns a 200 with the body.
func OK(body any) Response { return Response{Status: http.StatusOK, Body: body} }

// Created returns a 201 with the body.
func Created(body any) Response { return Response{Status: http.StatusCreated, Body: body} }

// Refuse returns the answer for a refusal.
func Refuse(r *game.Refusal) Response {
	return Response{Status: statuses[r.Code], Body: errorBody{Error: r.Code, Message: r.Message, Details: r.Details}}
}

// codeInternal is the error of every 500. It is not a refusal: the rules never return it.
const codeInternal game.Code = "INTERNAL_ERROR"

// Fault returns a 500 with the message, "" for none: the answer to a fault of the service.
func Fault(message string) Response {
	return Response{Status: http.StatusInternalServerError, Body: errorBody{Error: codeInternal, Message: message}}
}

// busy returns a 503 with API Gateway's own body for that. It asks the client to come back in 1 to 3 seconds, so that
// not all clients come at once.
func busy() Response {
	return Response{
		Status: http.StatusServiceUnavailable, Body: map[string]string{"message": http.StatusText(http.StatusServiceUnavailable)},
		Header: map[string]string{"Retry-After": strconv.Itoa(1 + rand.IntN(3))},
	}
}

// everyAnswer are the headers of every answer. An answer is data, and no cache keeps it. If a browser opens it as a
// page, it saves a file: it runs nothing, loads nothing, shows it in no frame and sends its address to no other site.
// The browser uses only TLS for another year.
var everyAnswer = map[string]string{
	"Content-Disposition":       `attachment; filename="api.json"`,
	"Content-Type":              "application/json",
	"Cache-Control":             "no-store",
	"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
	"Strict-Transport-Security": "max-age=31536000; includeSubDomains",
	"Referrer-Policy":           "no-referrer",
	"X-Content-Type-Options":    "nosniff",
}

// statuses are the HTTP statuses of the refusals' codes (docs/rules.md, S7).
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

// render returns the response for API Gateway, compressed if that is worth it and the client accepts it. The error says
// that the body cannot be JSON, or that the answer exceeds Lambda's limit.
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

// encode writes JSON as the Lambda library does: it does not escape HTML's characters, and adds no line break.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// compressors are reused: each has 800 KB of tables.
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
