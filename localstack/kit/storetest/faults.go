package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing/iotest"
)

// Fault stands in for one attempt of a request. It may pass the request on, before, after or instead of what it does.
type Fault func(r *http.Request, pass http.RoundTripper) (*http.Response, error)

// Next lets the next attempts of an operation ("TransactWriteItems") meet the given faults, one each.
func (w *Wire) Next(operation string, faults ...Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults == nil {
		w.faults = map[string][]Fault{}
	}
	w.faults[operation] = append(w.faults[operation], faults...)
}

// passed reports whether every fault has had its turn.
func (w *Wire) passed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, left := range w.faults {
		if len(left) > 0 {
			return false
		}
	}
	return true
}

// Forget drops the faults that have not had their turn.
func (w *Wire) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// Cut takes the engine away until Reconnect: every attempt meets a refused connection.
func (w *Wire) Cut() { w.setCut(true) }

// Reconnect brings the engine back after Cut.
func (w *Wire) Reconnect() { w.setCut(false) }

func (w *Wire) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// fault returns what the next attempt of the operation meets.
func (w *Wire) fault(operation string) Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return Refuse
	}
	queue := w.faults[operation]
	if len(queue) == 0 {
		return Pass
	}
	w.faults[operation] = queue[1:]
	return queue[0]
}

// Refuse fails as a connection does to a machine that is not there. Nothing is applied.
func Refuse(*http.Request, http.RoundTripper) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// Pass lets an attempt through.
func Pass(r *http.Request, pass http.RoundTripper) (*http.Response, error) { return pass.RoundTrip(r) }

// Before does something at the last moment before an attempt reaches the engine: the other side of a race.
func Before(do func()) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		do()
		return pass.RoundTrip(r)
	}
}

// Meanwhile lets something happen between the reads and the write of the next operation: just before the next
// transaction reaches the engine.
func (t *Table) Meanwhile(do func()) { t.Wire.Next("TransactWriteItems", Before(do)) }

// Lost fails as an attempt does that nobody answers. Nothing is applied.
func Lost(*http.Request, http.RoundTripper) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// Late is an attempt that arrives late: the client is told a failure (Lost, Overloaded), and it reaches the engine when
// arrive is called.
func Late(told Fault) (late Fault, arrive func()) {
	var resume func()
	late = func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		request := r.Clone(context.WithoutCancel(r.Context()))
		request.Body = io.NopCloser(bytes.NewReader(body))
		resume = func() {
			if response, err := pass.RoundTrip(request); err == nil {
				response.Body.Close()
			}
		}
		return told(r, pass)
	}
	return late, func() { resume() }
}

// LoseAnswer lets the engine apply an attempt and loses its answer.
func LoseAnswer(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	response, err := pass.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// CutAnswer lets the engine apply an attempt and breaks the connection in the middle of its answer.
func CutAnswer(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	return halfAnswer(r, pass, io.ErrUnexpectedEOF)
}

// StallAnswer lets the engine apply an attempt and stops in the middle of its answer, until the client's own limit ends
// the attempt.
func StallAnswer(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	return halfAnswer(r, pass, os.ErrDeadlineExceeded)
}

func halfAnswer(r *http.Request, pass http.RoundTripper, end error) (*http.Response, error) {
	response, err := pass.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	whole, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), iotest.ErrReader(end)))
	return response, nil
}

// Hang never answers: the attempt lasts until somebody gives up.
func Hang(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Conflict answers as DynamoDB does when another transaction has the items. Nothing is applied.
func Conflict(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	return Cancelled("TransactionConflict")(r, pass)
}

// ConflictPlainWrite answers a plain write as DynamoDB does when a transaction has the item. Nothing is applied.
func ConflictPlainWrite(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"Transaction is ongoing for the item"}`)
}

// Overloaded answers 503 with a code that the SDK has no type for.
func Overloaded(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, http.StatusServiceUnavailable, `{"__type":"com.amazon.coral.availability#ServiceUnavailableException","message":"sorry"}`)
}

// Cancelled answers as DynamoDB does when it cancels a transaction for the given reasons, in the order of its items.
// Nothing is applied.
func Cancelled(codes ...string) Fault {
	reasons := make([]string, len(codes))
	for i, code := range codes {
		reasons[i] = `{"Code":"` + code + `"}`
	}
	return func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
		return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
			`"Message":"Transaction cancelled","CancellationReasons":[`+strings.Join(reasons, ",")+`]}`)
	}
}

// InProgress answers as DynamoDB does when the same token is being applied.
func InProgress(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","Message":"in progress"}`)
}

// Throttle answers as DynamoDB does above its capacity.
func Throttle(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`)
}

// Unavailable answers 500.
func Unavailable(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"sorry"}`)
}

// Denied answers as DynamoDB does to a role that may not do this.
func Denied(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}`)
}

// Unprocessed lets the first half of a BatchGetItem's keys through and hands the others back, as DynamoDB does when an
// answer gets too large or the table too busy.
func Unprocessed(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	return unprocessed(r, pass, func([]any) {})
}

// UnprocessedFirst is Unprocessed with the keys in the reverse order: DynamoDB promises none.
func UnprocessedFirst(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	return unprocessed(r, pass, slices.Reverse)
}

func unprocessed(r *http.Request, pass http.RoundTripper, order func([]any)) (*http.Response, error) {
	type tables map[string]map[string]any
	var request struct{ RequestItems tables }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}
	first, second := tables{}, tables{}
	for table, wanted := range request.RequestItems {
		keys := wanted["Keys"].([]any)
		order(keys)
		half := len(keys) / 2
		second[table] = maps.Clone(wanted)
		second[table]["Keys"] = keys[half:]
		if half > 0 {
			first[table] = maps.Clone(wanted)
			first[table]["Keys"] = keys[:half]
		}
	}
	found := json.RawMessage("{}")
	if len(first) > 0 {
		var err error
		if found, err = batchGet(r, pass, first); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(map[string]any{"Responses": found, "UnprocessedKeys": second})
	if err != nil {
		return nil, err
	}
	return answer(r, 200, string(body))
}

// Page ends a Query that has no limit of its own after n items, as DynamoDB does after 1 MB.
func Page(n int) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		var query map[string]any
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
			return nil, err
		}
		if _, limited := query["Limit"]; !limited {
			query["Limit"] = n
		}
		body, err := json.Marshal(query)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return pass.RoundTrip(r)
	}
}

// Behind lets an eventually consistent BatchGetItem find nothing, as a replica may that has not seen the last writes. A
// strongly consistent one passes.
func Behind(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
		return answer(r, 200, `{"Responses":{}}`)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return pass.RoundTrip(r)
}

// batchGet sends r with other keys and returns the responses.
func batchGet(r *http.Request, pass http.RoundTripper, items any) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"RequestItems": items})
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := pass.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var out struct{ Responses json.RawMessage }
	return out.Responses, json.NewDecoder(response.Body).Decode(&out)
}

func answer(r *http.Request, status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
