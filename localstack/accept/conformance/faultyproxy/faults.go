package faultyproxy

import (
	"net/http"
	"strings"
	"time"
)

// Fault is what becomes of an exchange that meets a rule.
type Fault func(e *Exchange, r *Rule)

// LoseRequest cuts the connection before the request gets anywhere.
func LoseRequest(e *Exchange, _ *Rule) { e.cut() }

// LoseAnswer has the request applied, and cuts the connection in place of an answer.
func LoseAnswer(e *Exchange, _ *Rule) {
	e.forward()
	e.cut()
}

// CutAnswer has the request applied, and cuts the connection in the middle of the answer's body.
func CutAnswer(e *Exchange, _ *Rule) {
	a := e.forward()
	e.head(a)
	_, _ = e.writer.Write(a.body[:len(a.body)/2])
	_ = http.NewResponseController(e.writer).Flush()
	e.cut()
}

// Delay holds the request on its way, and drops it if the client has gone.
func Delay(by time.Duration) Fault {
	return func(e *Exchange, _ *Rule) {
		elapsed := make(chan struct{})
		defer time.AfterFunc(by, func() { close(elapsed) }).Stop()
		if e.await(elapsed) {
			e.answer(e.forward())
		}
	}
}

// HoldRequest keeps the request until it is released, and drops it if the client is gone before.
func HoldRequest(e *Exchange, r *Rule) {
	if e.await(r.released) {
		e.answer(e.forward())
	}
}

// HoldAnswer has the request applied, and keeps the answer until it is released.
func HoldAnswer(e *Exchange, r *Rule) {
	a := e.forward()
	if e.await(r.released) {
		e.answer(a)
	}
}

// HoldLoss has the request applied, and cuts the connection in place of an answer when it is released.
func HoldLoss(e *Exchange, r *Rule) {
	e.forward()
	e.await(r.released)
	e.cut()
}

// Twice has the request applied twice, one after the other, and answers as the API does the second time.
func Twice(e *Exchange, _ *Rule) {
	e.forward()
	e.answer(e.forward())
}

// Late cuts the connection at once, and has the request applied when it is released.
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

// await reports whether something has happened, and not the client or the proxy gone before.
func (e *Exchange) await(happened <-chan struct{}) bool {
	select {
	case <-happened:
		return true
	case <-e.gone:
	case <-e.proxy.closed:
	}
	return false
}

// Answer answers by itself: the API knows nothing of it. The header's names and values come in turn.
func Answer(status int, body string, header ...string) Fault {
	return func(e *Exchange, _ *Rule) { e.answer(made(status, body, header)) }
}

// AnswerInstead has the request applied, and answers something else, as a gateway does that has lost patience.
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
