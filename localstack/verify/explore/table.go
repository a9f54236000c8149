package explore

import (
	"bytes"
	"io"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// table is the way to the engine. It is asked from inside a bubble and answers outside, where connections may stay
// open: a bubble waits for every goroutine of its own. Who asks waits on channels made outside, so that the bubble's
// time stands still meanwhile.
type table struct {
	memory  *memory
	front   *visibility.Front
	journal *visibility.Journal
	ask     chan func()
	done    chan struct{}
}

// newTable returns a table that it goes to by next, until it is closed.
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

// outside lets do happen outside the bubble, and waits for it.
func (t *table) outside(do func()) {
	t.ask <- do
	<-t.done
}

// reply is an answer with its whole body. The date is not kept: it is not the bubble's.
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

// parse reads what an attempt is about.
func (t *table) parse(a *attempt) {
	t.outside(func() {
		var err error
		if a.Request, err = t.front.Parse(a.http); err != nil {
			panic(err) // the body is in memory
		}
	})
}

// read answers a read, which sees of a transaction that is not over what sees says.
func (t *table) read(a *attempt, sees func(protocol.Key) bool) (got answer) {
	t.outside(func() {
		response, err := t.front.Read(a.Request, sees)
		got = newAnswer(response, err)
	})
	return got
}

// write writes, and returns the commit of a transaction that it has applied, and that has not been before.
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
