package blackbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// attempt is what is written to a connection, and how.
type attempt struct {
	number   int
	kind     string
	raw      []byte
	requests []parsedRequest // those that are whole, as Go's own reader has them
	whole    bool            // there is nothing behind them
	slow     bool            // it is written in pieces, with pauses
}

// parsedRequest is a request as a server must take it.
type parsedRequest struct {
	method, target string
	header         http.Header
	body           []byte
	odd            bool // it is HTTP, and HTTP itself may refuse it
}

// sound says whether an attempt is whole requests that reach the API, each of which has an answer.
func (a attempt) sound() bool {
	for _, r := range a.requests {
		if r.odd {
			return false
		}
	}
	return a.whole && len(a.requests) > 0
}

// newAttempt reads what is to be written as a server would.
func newAttempt(number int, kind string, raw []byte, slow bool) attempt {
	a := attempt{number: number, kind: kind, raw: raw, slow: slow}
	reader := bufio.NewReader(bytes.NewReader(raw))
	for {
		if _, err := reader.Peek(1); err != nil {
			a.whole = true
			return a
		}
		r, err := http.ReadRequest(reader)
		if err != nil {
			return a
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return a
		}
		p := parsedRequest{method: r.Method, target: r.RequestURI, header: r.Header, body: body}
		head := len(raw) - len(body)
		p.odd = head > 8_000 || !loopback.IsLoopback(r.Host) || r.Method == http.MethodConnect || !strings.HasPrefix(r.RequestURI, "/") || r.ProtoMajor != 1 || r.Header.Get("Expect") != ""
		for name, values := range r.Header {
			p.odd = p.odd || strings.ContainsFunc(name+strings.Join(values, ""), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) || strings.ContainsAny(name, " ()<>@,;:\\\"/[]?={}")
			if name == "Authorization" {
				r.Header[name] = []string{strings.Join(values, ",")} // as the gateway gives it to functions
			}
		}
		a.requests = append(a.requests, p)
	}
}

// rawAnswer is an answer as it came.
type rawAnswer struct {
	status int
	header http.Header
	body   []byte
}

// outcomes are the answers to an attempt.
type outcomes struct {
	answers []rawAnswer
	closed  bool // the server has closed the connection
	took    time.Duration
	err     error
}

// answerPatience is longer than the gateway waits for a function.
const answerPatience = time.Minute

// wire is a connection that is kept as long as what is sent over it is whole.
type wire struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

func (c *wire) close() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing is under way any more
		c.conn = nil
	}
}

// send writes an attempt and reads its answers. What is not whole has a connection of its own, whose end it is. A
// connection that the server has closed meanwhile is made anew, once.
func (c *wire) send(a attempt) outcomes {
	began := time.Now()
	fresh := c.conn == nil
	o := c.exchange(a)
	if !fresh && len(o.answers) == 0 && a.sound() {
		c.close()
		o = c.exchange(a)
	}
	o.took = time.Since(began)
	return o
}

func (c *wire) exchange(a attempt) (o outcomes) {
	alone := !a.sound()
	if alone {
		c.close()
	}
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.address)
		if err != nil {
			return outcomes{err: err}
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return outcomes{err: err}
	}
	written := make(chan struct{})
	conn := c.conn
	go func() {
		defer close(written)
		write(conn, a) // the server may hang up before the end
		if len(a.requests) == 0 {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	for i := 0; i < len(a.requests) || !a.whole; i++ {
		if i > 0 && i == len(a.requests) { // not before: whoever hangs up waits for no answer
			<-written
			_ = conn.(*net.TCPConn).CloseWrite()
		}
		method := http.MethodGet
		if i < len(a.requests) {
			method = a.requests[i].method
		}
		answer, last, err := c.read(method)
		if err != nil {
			o.closed = true
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				o.err = fmt.Errorf("no answer within %v", answerPatience)
			}
			break
		}
		o.answers = append(o.answers, answer)
		if last {
			o.closed = true
			break
		}
	}
	if alone || o.closed {
		c.close()
	}
	<-written
	return o
}

// write writes an attempt, a slow one in pieces.
func write(conn net.Conn, a attempt) {
	if !a.slow {
		_, _ = conn.Write(a.raw)
		return
	}
	const pieces = 6
	size := len(a.raw)/pieces + 1
	for rest := a.raw; len(rest) > 0; rest = rest[min(size, len(rest)):] {
		if _, err := conn.Write(rest[:min(size, len(rest))]); err != nil {
			return
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// read reads one answer, and says whether it is the connection's last.
func (c *wire) read(method string) (a rawAnswer, last bool, err error) {
	for {
		response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
		if err != nil {
			return rawAnswer{}, true, err
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return rawAnswer{}, true, err
		}
		if response.StatusCode == http.StatusContinue {
			continue
		}
		return rawAnswer{response.StatusCode, response.Header, body}, response.Close, nil
	}
}
