package faultyproxy

import (
	"net/http"
	"strings"
	"time"
)

// Fault is what becomes of an exchange.
type Fault func(e *Exchange, r *Rule)

// LoseRequest cuts the connection before the request gets anywhere.
func LoseRequest() Fault { return func(e *Exchange, _ *Rule) { e.cut() } }

// LoseAnswer has the request applied, and cuts the connection in place of an answer.
func LoseAnswer() Fault {
	return func(e *Exchange, _ *Rule) {
		e.forward()
		e.cut()
	}
}

// CutAnswer has the request applied, and cuts the connection in the middle of the answer's body.
func CutAnswer() Fault {
	return func(e *Exchange, _ *Rule) {
		a := e.forward()
		e.head(a)
		_, _ = e.writer.Write(a.body[:len(a.body)/2])
		_ = http.NewResponseController(e.writer).Flush()
		e.cut()
	}
}

// Delay has the request wait on its way, and drops it where the client is gone by then.
func Delay(by time.Duration) Fault {
	return func(e *Exchange, _ *Rule) {
		select {
		case <-time.After(by):
			e.answer(e.forward())
		case <-e.gone:
		case <-e.proxy.closed:
		}
	}
}

// HoldRequest keeps the request until it is released, and drops it where the client is gone before.
func HoldRequest() Fault {
	return func(e *Exchange, r *Rule) {
		if e.held(r) {
			e.answer(e.forward())
		}
	}
}

// HoldAnswer has the request applied, and keeps the answer until it is released.
func HoldAnswer() Fault {
	return func(e *Exchange, r *Rule) {
		a := e.forward()
		if e.held(r) {
			e.answer(a)
		}
	}
}

// HoldLoss has the request applied, and cuts the connection in place of an answer when it is released.
func HoldLoss() Fault {
	return func(e *Exchange, r *Rule) {
		e.forward()
		e.held(r)
		e.cut()
	}
}

// held reports whether the rule has been released, and not the client or the proxy gone before.
func (e *Exchange) held(r *Rule) bool {
	select {
	case <-r.released:
		return true
	case <-e.gone:
	case <-e.proxy.closed:
	}
	return false
}

// Twice has the request applied twice, one after the other, and answers as the API does the second time.
func Twice() Fault {
	return func(e *Exchange, _ *Rule) {
		e.forward()
		e.answer(e.forward())
	}
}

// Late cuts the connection at once, and has the request applied when it is released.
func Late() Fault {
	return func(e *Exchange, r *Rule) {
		r.later(func() {
			select {
			case <-r.released:
				e.forward()
			case <-e.proxy.closed:
			}
		})
		e.cut()
	}
}

// later does what is left to do of an exchange that has no connection any more.
func (r *Rule) later(rest func()) {
	r.proxy.mu.Lock()
	r.ended-- // the exchange ends twice
	r.proxy.mu.Unlock()
	r.proxy.handlers.Go(func() {
		defer r.end()
		rest()
	})
}

// Answer answers by itself: the API knows nothing of it. The header's names and values come in turn.
func Answer(status int, body string, header ...string) Fault {
	return func(e *Exchange, _ *Rule) { e.answer(made(status, body, header)) }
}

// AnswerInstead has the request applied, and answers something else, as a gateway does that has lost patience.
func AnswerInstead(status int, body string, header ...string) Fault {
	return func(e *Exchange, _ *Rule) {
		e.forward()
		e.answer(made(status, body, header))
	}
}

func made(status int, body string, header []string) response {
	a := response{status, http.Header{}, []byte(body)}
	for i := 0; i+1 < len(header); i += 2 {
		a.header.Add(header[i], header[i+1])
	}
	switch {
	case a.header.Get("Content-Type") != "":
	case strings.HasPrefix(body, "<"):
		a.header.Set("Content-Type", "text/html")
	default:
		a.header.Set("Content-Type", "application/json")
	}
	return a
}
