package capacity

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Limits is one account's tables: what their transports let through adds up. It is safe for concurrent use.
type Limits struct {
	clock     Clock
	who       func(*http.Request) string
	hold      time.Duration
	capacity  *capacity
	holds     *holds
	latencies *latencies
	meter     *meter
	schemas   *protocol.Schemas
}

// New returns tables with full buckets, nothing held and nothing metered.
func New(o Options) *Limits {
	l := &Limits{
		clock: o.Clock, who: o.Who, hold: o.Hold, capacity: newCapacity(o), holds: newHolds(), latencies: newLatencies(o),
		meter: newMeter(), schemas: &protocol.Schemas{},
	}
	if l.clock == nil {
		l.clock = machineClock{}
	}
	if l.who == nil {
		l.who = traceID
	}
	return l
}

// Transport returns a RoundTripper that limits what it passes on to next, which leads to the engine. Any number of them
// may lead to the same tables.
func (l *Limits) Transport(next http.RoundTripper) http.RoundTripper { return transport{l, next} }

// Snapshot returns what has been counted.
func (l *Limits) Snapshot() Snapshot { return l.meter.snapshot() }

// Reset begins to count anew. Buckets and holds stay as they are.
func (l *Limits) Reset() { l.meter.reset() }

type transport struct {
	*Limits
	next http.RoundTripper
}

// CloseIdleConnections closes those of the transport below.
func (t transport) CloseIdleConnections() {
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// call is one request on its way.
type call struct {
	transport
	asker
	request *http.Request
	body    []byte
	began   time.Time
}

// handlers are the operations that are limited. errPass means that the request says nothing that the limits understand:
// the engine gets it as it is, and judges it.
var handlers = map[string]func(*call) (*http.Response, error){
	"GetItem":            (*call).getItem,
	"Query":              (*call).query,
	"Scan":               (*call).scan,
	"PutItem":            (*call).writeItem,
	"UpdateItem":         (*call).writeItem,
	"DeleteItem":         (*call).writeItem,
	"BatchGetItem":       (*call).batchGet,
	"BatchWriteItem":     (*call).batchWrite,
	"TransactGetItems":   (*call).transactGet,
	"TransactWriteItems": (*call).transactWrite,
}

var errPass = errors.New("capacity: not limited")

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c := &call{transport: t, asker: asker{t.who(r), operation}, request: r, began: t.clock.Now()}
	t.meter.count(c.asker, Counts{Requests: 1})
	handle := handlers[operation]
	if handle == nil || r.Body == nil {
		response, err := t.next.RoundTrip(r)
		if operation == "CreateTable" || operation == "DeleteTable" {
			t.schemas.Forget()
		}
		return response, err
	}
	var err error
	if c.body, err = protocol.ReadAll(r.Body, r.ContentLength); err != nil {
		return nil, err
	}
	response, err := handle(c)
	if errors.Is(err, errPass) || errors.Is(err, protocol.ErrSyntax) {
		return t.next.RoundTrip(protocol.WithBody(r, c.body))
	}
	return response, err
}

// answer is what the engine said.
type answer struct {
	response *http.Response
	body     []byte // as the client shall have it
	changed  bool   // the body is not what the engine sent
	consumed []consumed
}

func (a *answer) rewrite(body []byte) { a.body, a.changed = body, true }

func (a *answer) ok() bool { return a.response.StatusCode == http.StatusOK }

// failed reports whether the answer is the given error.
func (a *answer) failed(exception string) bool {
	found := false
	if !a.ok() {
		_ = protocol.Members(a.body, func(m protocol.Member) error {
			if m.Name == "__type" {
				found = found || strings.HasSuffix(string(m.Value), "#"+exception+`"`)
			}
			return nil
		})
	}
	return found
}

// send passes a body on to the engine, which is asked what it consumes, and returns its answer. Where the client has
// not asked, the answer does not say.
func (c *call) send(body []byte) (*answer, error) {
	body, asked, err := askForCapacity(body)
	if err != nil {
		return nil, err
	}
	request := protocol.WithBody(c.request, body)
	if encoding := request.Header.Get("Accept-Encoding"); encoding != "identity" {
		request.Header = request.Header.Clone()
		request.Header.Set("Accept-Encoding", "identity") // the answer must be read
	}
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	a := &answer{response: response}
	if a.body, err = protocol.ReadAll(response.Body, response.ContentLength); err != nil {
		return nil, err
	}
	if a.ok() {
		var rest []byte
		if a.consumed, rest, err = takeCapacity(a.body); err == nil && !asked {
			a.rewrite(rest)
		}
	}
	return a, nil
}

// deliver returns the answer once it has taken its time since the request came in.
func (c *call) deliver(a *answer, total time.Duration) (*http.Response, error) {
	if err := c.wait(total); err != nil {
		return nil, err
	}
	r := a.response
	if a.changed {
		protocol.SetBody(r, a.body)
		return r, nil
	}
	r.Body = io.NopCloser(bytes.NewReader(a.body))
	return r, nil
}

// wait returns when so much time has passed since the request came in.
func (c *call) wait(total time.Duration) error {
	if left := total - c.clock.Now().Sub(c.began); left > 0 {
		return c.clock.Sleep(c.request.Context(), left)
	}
	return nil
}
