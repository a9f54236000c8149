package protocol

import (
	"bytes"
	"crypto/rand"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Namespace is before the names of DynamoDB's exceptions.
const Namespace = "com.amazonaws.dynamodb.v20120810#"

// MessageConflict is what DynamoDB says of an item that a transaction holds.
const MessageConflict = "Transaction is ongoing for the item"

// Conflict is the refusal of a plain write of an item that a transaction holds.
func Conflict() any {
	return struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{Namespace + "TransactionConflictException", MessageConflict}
}

// InProgress is the refusal of a transaction whose token is that of one under way.
func InProgress() any {
	return struct {
		Type    string `json:"__type"`
		Message string
	}{Namespace + "TransactionInProgressException", "The transaction with the given request token is already in progress."}
}

// Reason says what became of one item of a cancelled transaction.
type Reason struct {
	Code    string
	Message string `json:",omitempty"`
}

// Cancelled is a transaction's refusal (API Reference, TransactionCanceledException): one reason for each item, in
// their order, with the code None and no message where nothing is wrong.
func Cancelled(reasons []Reason) any {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return struct {
		Type                string `json:"__type"`
		Message             string
		CancellationReasons []Reason
	}{
		Namespace + "TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
		reasons,
	}
}

// Respond makes an answer to the request, as DynamoDB would give it.
func Respond(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{
			"Content-Type":     {"application/x-amz-json-1.0"},
			"Content-Length":   {strconv.Itoa(len(body))},
			"X-Amz-Crc32":      {strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)},
			"X-Amzn-Requestid": {rand.Text()},
		},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// SetBody gives an answer another body, with the headers to match.
func SetBody(r *http.Response, body []byte) {
	r.ContentLength, r.TransferEncoding = int64(len(body)), nil
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Header.Get("X-Amz-Crc32") != "" {
		r.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
}

// ReadAll reads a body of about the given length and closes it.
func ReadAll(body io.ReadCloser, length int64) ([]byte, error) {
	defer body.Close()
	var b bytes.Buffer
	if length > 0 && length < 32<<20 {
		b.Grow(int(length) + bytes.MinRead)
	}
	_, err := b.ReadFrom(body)
	return b.Bytes(), err
}
