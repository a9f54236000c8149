package table

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Line is the HTTP client for the table and for Secrets Manager. It limits silence, not duration: it ends an attempt if
// for Silence no byte has moved in either direction. So an answer of 1 MB may take as long as a slow line needs, and a
// call notices a lost table after Silence.
//
// If an attempt fails at the connection, Line closes its idle connections: after a freeze of the process or a change of
// the network, all of them may be dead, and the next attempt would take one.
//
// An answer that is not AWS's JSON comes from something between, such as a proxy, and does not say whether the request
// was applied. Line returns an error in its place, so the SDK repeats the request as after a lost answer.
//
// It hides the header X-Amz-Retry-After from the SDK. The SDK would wait for that time, up to 5 s, instead of our own
// back-off (aws-sdk-go-v2 from v1.48 on).
type Line struct {
	Transport http.RoundTripper
	Silence   time.Duration
}

func newLine() *Line {
	return &Line{Silence: attemptTimeout, Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: attemptTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: attemptTimeout,
		MaxIdleConnsPerHost: 4 * ParallelReads,
		IdleConnTimeout:     90 * time.Second,
	}}
}

// errSilent ends an attempt. It is a time-out, so the SDK repeats the attempt.
var errSilent = fmt.Errorf("the table is silent: %w", os.ErrDeadlineExceeded)

// Do sends the request. Its error, and an error while reading the answer's body, is a time-out if the line was silent.
func (l *Line) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	watch := &watch{ctx: ctx, line: l, end: cancel}
	watch.timer = time.AfterFunc(l.Silence, func() { cancel(errSilent) })
	r = r.WithContext(ctx)
	if r.Body != nil {
		r.Body = watched{ReadCloser: r.Body, moved: watch.moved}
	}
	response, err := l.Transport.RoundTrip(r)
	if err != nil {
		return nil, watch.over(err)
	}
	response.Header.Del("X-Amz-Retry-After")
	watch.moved()
	if !isFromAWS(response) {
		defer response.Body.Close()
		start, _ := io.ReadAll(io.LimitReader(response.Body, 100))
		return nil, watch.over(fmt.Errorf("%d %q with the type %q is not an answer of AWS: look for a proxy on the way",
			response.StatusCode, start, response.Header.Get("Content-Type")))
	}
	moved := watch.moved
	if response.StatusCode == http.StatusOK { // the line is not failing
		moved = func() { watch.moved(); answered(ctx) }
	}
	response.Body = watched{ReadCloser: response.Body, moved: moved, over: watch.over}
	return response, nil
}

// isFromAWS reports whether an answer has a body, and headers that only AWS sends. LocalStack's refusals have the
// Content-Type application/json, but name their error in a header.
func isFromAWS(r *http.Response) bool {
	typed := strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-amz-json-")
	return (typed || r.Header.Get("X-Amzn-Errortype") != "") && r.ContentLength != 0
}

// CloseIdleConnections closes the connections that no attempt uses.
func (l *Line) CloseIdleConnections() { (&http.Client{Transport: l.Transport}).CloseIdleConnections() }

// watch ends an attempt after silence.
type watch struct {
	ctx   context.Context
	line  *Line
	timer *time.Timer
	end   context.CancelCauseFunc
}

func (w *watch) moved() { w.timer.Reset(w.line.Silence) }

// over stops watching, and returns errSilent in place of an error that silence has caused. After an error that the
// caller has not caused, it closes the idle connections.
func (w *watch) over(err error) error {
	cause := context.Cause(w.ctx)
	if cause == errSilent {
		err = errSilent
	}
	if err != nil && (cause == nil || cause == errSilent) {
		w.line.CloseIdleConnections()
	}
	w.timer.Stop()
	w.end(nil)
	return err
}

// watched is the body of a request or an answer. It calls moved when bytes are read from it.
type watched struct {
	io.ReadCloser
	moved func()
	over  func(error) error // called at the end of an answer; it ends the attempt
}

func (b watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
		b.moved()
	case err != io.EOF && b.over != nil:
		err = b.over(err)
	}
	return n, err
}

func (b watched) Close() error {
	err := b.ReadCloser.Close()
	if b.over != nil {
		_ = b.over(nil)
	}
	return err
}
