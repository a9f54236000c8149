package blackbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/shared/client"
)

type (
	object = map[string]any
	list   = []any
)

// request is an HTTP request. try sends a string as the body unchanged, nil as no body, and any other value as JSON.
type request struct {
	api          string // "" is the suite's
	method, path string
	token        string
	body         any
	header       http.Header
}

// reply is a request with its response. If there was no response, err is the error of the connection.
type reply struct {
	request
	status int
	header http.Header
	body   []byte
	err    error
}

func (r reply) String() string {
	sent := ""
	if r.request.body != nil {
		sent = fmt.Sprintf(" with %.300s", encode(r.request.body))
	}
	if r.err != nil {
		return fmt.Sprintf("%s %.200s%s: %v", r.method, r.path, sent, r.err)
	}
	return fmt.Sprintf("%s %.200s%s: %d %.600s", r.method, r.path, sent, r.status, r.body)
}

func encode(body any) []byte {
	if text, ok := body.(string); ok {
		return []byte(text)
	}
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return b
}

// unaltered is an HTTP client that asks for no compression and follows no redirect.
var unaltered = &http.Client{
	Timeout:       time.Minute,
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64, IdleConnTimeout: time.Minute},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// try sends a request.
func try(ctx context.Context, r request) reply {
	transport := client.Transport{API: cmp.Or(r.api, suite.API), HTTP: unaltered}
	answer, err := transport.Send(ctx, client.Request{Method: r.method, Path: r.path, Token: r.token, Body: r.body, Header: r.header})
	return reply{request: r, status: answer.Status, header: answer.Header, body: answer.Body, err: err}
}

// send does what try does, and also checks what is true of every response (see sound).
func send(t testing.TB, r request) reply {
	t.Helper()
	return try(t.Context(), r).sound(t)
}

// atOnce calls do(0) to do(n-1) concurrently, and returns when all calls have returned.
func atOnce(n int, do func(i int)) {
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	group.Wait()
}

// together sends the requests at the same time, as send does. It returns the responses in the same order.
func together(t testing.TB, requests ...request) []reply {
	t.Helper()
	answers := make([]reply, len(requests))
	atOnce(len(requests), func(i int) { answers[i] = try(t.Context(), requests[i]) })
	for _, answer := range answers {
		answer.sound(t)
	}
	return answers
}

// outcome checks the number of responses with each status.
func outcome(t testing.TB, answers []reply, want map[int]int) {
	t.Helper()
	got := map[int]int{}
	for _, answer := range answers {
		got[answer.status]++
	}
	assert.Empty(t, gocmp.Diff(want, got), "statuses (-want +got)")
}

// inside are internal texts, which no response may have.
var inside = []string{"dynamodb", "Exception", "goroutine", ".go:", "panic", "127.0.0.1"}

// sound fails the test if the response is a server error or contains internal text. It returns the reply.
func (r reply) sound(t testing.TB) reply {
	t.Helper()
	require.NoError(t, r.err, r)
	assert.True(t, r.status < 500, "%s: a server error", r)
	for _, text := range inside {
		assert.False(t, bytes.Contains(r.body, []byte(text)), "%s: it shows %q", r, text)
	}
	return r
}

// is checks that the response has the status and the wanted body. If want is an object, is compares only its members. A
// member with the value nil must be null or missing.
func (r reply) is(t testing.TB, status int, want any) {
	t.Helper()
	var got, wanted any
	if !assert.NoError(t, errors.Join(r.read(status, &got), json.Unmarshal(encode(want), &wanted))) {
		return
	}
	if members, ok := wanted.(object); ok {
		all, _ := got.(object)
		some := object{}
		for name := range members {
			some[name] = all[name]
		}
		got = some
	}
	assert.Empty(t, gocmp.Diff(wanted, got), "%s (-want +got)", r)
}

// read decodes an answer with the wanted status into v.
func (r reply) read(status int, v any) error {
	err := r.err
	if err == nil && r.status != status {
		err = fmt.Errorf("want %d", status)
	}
	if err == nil {
		err = json.Unmarshal(r.body, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	return nil
}

// object returns the body of the response as an object. The response must have the given status.
func (r reply) object(t testing.TB, status int) (o object) {
	t.Helper()
	require.NoError(t, r.read(status, &o))
	return o
}

// list returns the body of the response as a list. The response must have the status 200.
func (r reply) list(t testing.TB) (all []object) {
	t.Helper()
	require.NoError(t, r.read(200, &all))
	return all
}

// refuses checks that the response is an error with this status, code and message ("" for none).
func (r reply) refuses(t testing.TB, status int, code, message string) {
	t.Helper()
	want := object{"error": code, "message": nil}
	if message != "" {
		want["message"] = message
	}
	r.is(t, status, want)
}

// unauthorized checks that the response is the 401 of a protected endpoint.
func (r reply) unauthorized(t testing.TB) {
	t.Helper()
	r.refuses(t, 401, "UNAUTHORIZED", "")
	assert.True(t, r.header.Get("WWW-Authenticate") != "", "%s: there is no challenge", r)
}

// endpoint returns a request for an operation, with the id in its path, the body of an example, and no token.
func endpoint(o *contract.Operation, id string) request {
	r := request{method: o.Method, path: o.At(id)}
	if o.Body != nil {
		r.body = string(o.Body)
	}
	return r
}

// protected are the operations that need an access token.
func protected() []*contract.Operation {
	return slices.DeleteFunc(suite.Operations(), func(o *contract.Operation) bool { return !o.Protected })
}
