package faultyproxy

import (
	"net/http"
	"strings"
	"time"
)

// Fault handles an exchange that meets a rule.
type Fault func(e *Exchange, r *Rule)

// LoseRequest cuts the connection, and does not forward the request.
func LoseRequest(e *Exchange, _ *Rule) { e.cut() }

// LoseAnswer forwards the request, and cuts the connection instead of answering.
func LoseAnswer(e *Exchange, _ *Rule) {
	e.forward()
	e.cut()
}

// CutAnswer forwards the request, and cuts the connection in the middle of the answer's body.
func CutAnswer(e *Exchange, _ *Rule) {
	a := e.forward()
	e.head(a)
	_, _ = e.writer.Write(a.body[:len(a.body)/2])
	_ = http.NewResponseController(e.writer).Flush()
	e.cut()
}

// Delay holds the request for a while, and drops it if the client has gone.
func Delay(by time.Duration) Fault {
	return func(e *Exchange, _ *Rule) {
		elapsed := make(chan struct{})
		defer time.AfterFunc(by, func() { close(elapsed) }).Stop()
		if e.await(elapsed) {
			e.answer(e.forward())
		}
	}
}

// HoldRequest holds the request until it is released, and drops it if the client goes before.
func HoldRequest(e *Exchange, r *Rule) {
	if e.await(r.released) {
		e.answer(e.forward())
	}
}

// HoldAnswer forwards the request, and holds the answer until it is released.
func HoldAnswer(e *Exchange, r *Rule) {
	a := e.forward()
	if e.await(r.released) {
		e.answer(a)
	}
}

// HoldLoss forwards the request, and cuts the connection when it is released.
func HoldLoss(e *Exchange, r *Rule) {
	e.forward()
	e.await(r.released)
	e.cut()
}

// Twice forwards the request twice, one after the other, and returns the second answer.
func Twice(e *Exchange, _ *Rule) {
	e.forward()
	e.answer(e.forward())
}

// Late cuts the connection at once, and forwards the request when it is released.
func Late(e *Exchange, r *Rule) {
	r.count(func() { r.ended-- }) // the exchange ends twice
	e.proxy.handlers.Go(func() {
		defer r.count(func() { r.ended++ })
		select {
		case <-r.released:
			e.forward()
		case <-e.proxy.closed:
		}
	})
	e.cut()
}

// await waits until happened is closed, and returns false if the client or the proxy goes before.
func (e *Exchange) await(happened <-chan struct{}) bool {
	select {
	case <-happened:
		return true
	case <-e.gone:
	case <-e.proxy.closed:
	}
	return false
}

// Answer answers without forwarding the request. The header is alternating names and values.
func Answer(status int, body string, header ...string) Fault {
	return func(e *Exchange, _ *Rule) { e.answer(made(status, body, header)) }
}

// AnswerInstead forwards the request, and returns another answer, as a gateway after its time limit.
func AnswerInstead(status int, body string) Fault {
	return func(e *Exchange, _ *Rule) {
		e.forward()
		e.answer(made(status, body, nil))
	}
}

func made(status int, body string, header []string) response {
	a := response{status, http.Header{"Content-Type": {"application/json"}}, []byte(body)}
	if strings.HasPrefix(body, "<") {
		a.header.Set("Content-Type", "text/html")
	}
	for i := 0; i+1 < len(header); i += 2 {
		a.header.Add(header[i], header[i+1])
	}
	return a
}
