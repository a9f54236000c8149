package faultyproxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// Fault handles an exchange: it decides whether the proxy forwards the request, and what the client gets.
type Fault func(e *Exchange)

// LoseRequest cuts the connection, and does not forward the request.
func LoseRequest(e *Exchange) { e.cut() }

// LoseAnswer forwards the request, and cuts the connection instead of answering.
func LoseAnswer(e *Exchange) {
	e.forward()
	e.cut()
}

// CutAnswer forwards the request, and cuts the connection to the client in the middle of the response's body.
func CutAnswer(e *Exchange) {
	a := e.forward()
	e.head(a)
	_, _ = e.writer.Write(a.Body.Bytes()[:a.Body.Len()/2])
	_ = http.NewResponseController(e.writer).Flush()
	e.cut()
}

// HoldRequest forwards the request when the test calls the rule's Release, unless the client has gone before.
func HoldRequest(e *Exchange) {
	if e.await(e.rule.released) {
		e.answer(e.forward())
	}
}

// HoldAnswer forwards the request at once, but sends the response only after the test calls the rule's Release.
func HoldAnswer(e *Exchange) {
	a := e.forward()
	if e.await(e.rule.released) {
		e.answer(a)
	}
}

// HoldLoss forwards the request at once. When the test calls the rule's Release, it cuts the connection.
func HoldLoss(e *Exchange) {
	e.forward()
	e.await(e.rule.released)
	e.cut()
}

// Late cuts the connection at once, and forwards the request when the test calls the rule's Release.
func Late(e *Exchange) {
	e.rule.count(func() { e.rule.ended-- }) // because serve counts the cut exchange, too
	go func() {
		select {
		case <-e.rule.released:
			e.forward()
		case <-e.proxy.closed:
		}
		e.rule.count(func() { e.rule.ended++ })
	}()
	e.cut()
}

// await returns true when happened is closed. It returns false if the client or the proxy goes before.
func (e *Exchange) await(happened <-chan struct{}) bool {
	select {
	case <-happened:
		return true
	case <-e.gone:
	}
	return false
}

// Answer returns a fault that answers without forwarding the request. header has names and values in turn.
func Answer(status int, body string, header ...string) Fault {
	return func(e *Exchange) { e.answer(made(status, body, header)) }
}

// AnswerInstead returns a fault that forwards the request, but answers by itself, as a gateway does after a time-out.
func AnswerInstead(status int, body string) Fault {
	return func(e *Exchange) {
		e.forward()
		e.answer(made(status, body, nil))
	}
}

func made(status int, body string, header []string) *httptest.ResponseRecorder {
	a := httptest.NewRecorder()
	a.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "<") {
		a.Header().Set("Content-Type", "text/html")
	}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header().Add(header[i], header[i+1])
	}
	a.Code = status
	a.Body.WriteString(body)
	return a
}
