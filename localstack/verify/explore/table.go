package explore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// table passes requests from calls inside a bubble to the engine. It works outside the bubble, since connections stay
// open and a bubble waits for all its own goroutines. A caller waits on channels made outside, so the bubble's clock
// stands still.
type table struct {
	memory  *memory
	front   *visibility.Front
	journal *visibility.Journal
	ask     chan func()
	done    chan struct{}
}

// newTable returns a table that sends requests to next. The caller must close the table.
func newTable(next http.RoundTripper) *table {
	t := &table{memory: newMemory(next), ask: make(chan func()), done: make(chan struct{})}
	t.front = visibility.New(t.memory)
	t.journal = t.front.Journal()
	go func() {
		for do := range t.ask {
			do()
			t.done <- struct{}{}
		}
	}()
	return t
}

func (t *table) close() { close(t.ask) }

// outside runs do outside the bubble, and waits for it.
func (t *table) outside(do func()) {
	t.ask <- do
	<-t.done
}

// reply is a response with its whole body. It leaves out the date, since the engine's clock is not the bubble's.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func newReply(r *http.Response) (reply, error) {
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	r.Header.Del("Date")
	return reply{r.StatusCode, r.Header, body}, err
}

// response is the reply to a request.
func (r reply) response(to *http.Request) *http.Response {
	return &http.Response{
		StatusCode: r.status, Status: http.StatusText(r.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: to,
	}
}

// parse reads the request of an attempt.
func (t *table) parse(a *attempt) {
	t.outside(func() {
		var err error
		if a.Request, err = t.front.Parse(a.http); err != nil {
			panic(err) // the body is in memory
		}
	})
}

// read answers a read. sees decides for each item of an open transaction whether the read sees the item.
func (t *table) read(a *attempt, sees func(protocol.Key) bool) (got answer) {
	t.outside(func() {
		response, err := t.front.Read(a.Request, sees)
		if got = newAnswer(response, err); a.rest != nil && got.err == nil {
			whole, _ := protocol.LeaveOut(a.Operation, got.reply.body, a.rest)
			protocol.SetBody(response, whole)
			got = newAnswer(response, nil)
		}
	})
	return got
}

// one returns an attempt for only the n-th item of a batch of reads, in the order of the items' keys. The answer lists
// the other items as unprocessed.
func (t *table) one(a *attempt, n int) *attempt {
	is := func(i int) bool {
		return a.Items[i].Key.Compare(protocol.Key{Table: a.Reads[n].Table, PK: a.Reads[n].PK, SK: a.Reads[n].From}) == 0
	}
	part := &attempt{call: a.call, number: a.number, rest: a.Batch.Where(func(i int) bool { return !is(i) })}
	part.http = protocol.WithBody(a.http, protocol.With(a.Body, protocol.Named("RequestItems", a.Batch.Where(is).JSON())))
	t.parse(part)
	return part
}

// write sends a write to the engine. If the write is a transaction and the engine has applied it, commit is not nil.
func (t *table) write(a *attempt) (got answer, commit *visibility.Commit) {
	t.outside(func() {
		response, applied, err := t.front.Write(a.Request)
		got, commit = newAnswer(response, err), applied
	})
	return got, commit
}

func newAnswer(response *http.Response, err error) (a answer) {
	if err == nil {
		a.reply, err = newReply(response)
	}
	a.err = err
	return a
}

// memory passes requests to the engine and remembers the answers, by the request and all writes before it. Consecutive
// histories begin alike, and for that part memory answers in place of the engine. It holds back writes until a request
// has no known answer, or a call reads the records. It only saves time: the engine's answers depend only on the
// requests.
type memory struct {
	next http.RoundTripper

	mu      sync.Mutex
	known   map[mark]remembered
	at      mark
	applied map[string]bool // the tokens of the applied transactions
	pending []*http.Request // writes that have not reached the engine yet
	written bool            // some writes have reached it since the beginning
	undoing bool
}

// mark identifies the stored items by the writes since the history began. The zero mark stands for its beginning.
type mark [sha256.Size]byte

// remembered is an answer, and the mark after it.
type remembered struct {
	reply reply
	then  mark
}

// mostRemembered is the largest number of answers in memory. An answer has a few kilobytes.
const mostRemembered = 20_000

func newMemory(next http.RoundTripper) *memory {
	return &memory{next: next, known: map[mark]remembered{}, applied: map[string]bool{}}
}

// RoundTrip answers a request.
func (m *memory) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := protocol.ReadAll(r.Body, r.ContentLength)
	if err != nil {
		return nil, err
	}
	request := protocol.WithBody(r, body)
	switch {
	case m.undoing && !m.written: // nothing must be restored
		return protocol.Respond(r, http.StatusOK, []byte("{}")), nil
	case m.undoing:
		return m.next.RoundTrip(request)
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	key, token, err := m.key(operation, body)
	if err != nil {
		return nil, err
	}
	known, is := m.known[key]
	switch {
	case !is:
		if known, err = m.ask(request, operation, key); err != nil {
			return nil, err
		}
		if len(m.known) >= mostRemembered {
			clear(m.known)
		}
		m.known[key] = known
	case known.then != m.at:
		m.pending = append(m.pending, request)
	}
	m.at = known.then
	if token != "" && known.reply.status == http.StatusOK {
		m.applied[token] = true
	}
	return known.reply.response(r), nil
}

// ask sends the request to the engine, after all pending writes.
func (m *memory) ask(request *http.Request, operation string, key mark) (got remembered, err error) {
	if err := m.catchUp(); err != nil {
		return got, err
	}
	writes := !strings.HasSuffix(operation, "GetItem") && !strings.HasSuffix(operation, "GetItems") && operation != "Query"
	m.written = m.written || writes
	response, err := m.next.RoundTrip(request)
	if err != nil {
		return got, err
	}
	got.then = m.at
	if got.reply, err = newReply(response); err == nil && writes && got.reply.status == http.StatusOK {
		got.then = key
	}
	return got, err
}

// key identifies a request and the writes before it. It ignores the order of members, since the SDK changes that. It
// also ignores the request's token, which every history draws again, unless the engine has applied a request with
// that token.
func (m *memory) key(operation string, body []byte) (key mark, token string, err error) {
	sorted, token, err := canonical(body)
	if err != nil {
		return key, "", err
	}
	hash := sha256.New()
	hash.Write(m.at[:])
	fmt.Fprintln(hash, operation, m.applied[token])
	hash.Write(sorted)
	return mark(hash.Sum(nil)), token, nil
}

// canonical returns JSON with sorted members and without a ClientRequestToken, and this token.
func canonical(body []byte) (sorted []byte, token string, err error) {
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, "", err
	}
	token, _ = value["ClientRequestToken"].(string)
	delete(value, "ClientRequestToken")
	sorted, err = json.Marshal(value)
	return sorted, token, err
}

// digest returns a digest of the answer.
func (a answer) digest() mark {
	body, _, err := canonical(a.reply.body)
	if err != nil { // there is no answer, or it is not from the table
		body = a.reply.body
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %v %s", a.reply.status, a.err, body))
}

// catchUp sends the pending writes to the engine.
func (m *memory) catchUp() error {
	for ; len(m.pending) > 0; m.pending = m.pending[1:] {
		m.written = true
		response, err := m.next.RoundTrip(m.pending[0])
		if err != nil {
			return err
		}
		again, err := newReply(response)
		if err != nil {
			return err
		}
		if again.status != http.StatusOK {
			return fmt.Errorf("the engine answers otherwise than before: %d %s", again.status, again.body)
		}
	}
	return nil
}

// stored returns the present mark.
func (m *memory) stored() mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// store brings the engine up to the present mark.
func (m *memory) store() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.catchUp()
}

// undo starts over, after putBack has restored everything through the memory.
func (m *memory) undo(putBack func() error) error {
	begin := func(undoing bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.undoing, m.pending = undoing, nil
	}
	begin(true)
	defer begin(false)
	if err := putBack(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.written = mark{}, false
	clear(m.applied)
	return nil
}
