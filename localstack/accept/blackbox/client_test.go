package blackbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/shared/client"
)

// unaltered sends everything as it is said: it adds no compression and follows no redirection.
var unaltered = &http.Client{
	Timeout: time.Minute,
	Transport: &http.Transport{
		DisableCompression: true, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64, IdleConnTimeout: time.Minute,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request is what is sent. A body that is a text goes as it is, any other as its JSON, and nil not at all.
type request struct {
	api          string // "" is the suite's
	method, path string
	token        string
	body         any
	header       http.Header
}

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

// try sends a request; errors are those of the connection.
func try(ctx context.Context, r request) reply {
	transport := client.Transport{API: cmp.Or(r.api, suite.api), HTTP: unaltered}
	answer, err := transport.Send(ctx, client.Request{Method: r.method, Path: r.path, Token: r.token, Body: r.body, Header: r.header})
	return held(reply{request: r, status: answer.Status, header: answer.Header, body: answer.Body, err: err})
}

// read decodes an answer with the wanted status into v.
func (r reply) read(status int, v any) error {
	err := r.err
	if err == nil {
		err = client.Answer{Status: r.status, Header: r.header, Body: r.body}.Read(status, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	return nil
}

// send sends a request and checks what holds for every answer.
func send(t testing.TB, r request) reply {
	t.Helper()
	return try(t.Context(), r).sound(t)
}

// sound checks what holds for every answer: it is no server error, it is JSON and says so, and shows nothing of the
// inside.
func (r reply) sound(t testing.TB) reply {
	t.Helper()
	if r.err != nil {
		t.Fatal(r)
	}
	if r.status >= 500 {
		t.Errorf("%s: a server error", r)
	}
	if r.status == http.StatusNoContent || r.method == http.MethodHead || r.header.Get("Content-Encoding") != "" {
		return r
	}
	if mediaType, _, err := mime.ParseMediaType(r.header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		t.Errorf("%s: the content type is %q", r, r.header.Get("Content-Type"))
	}
	if !json.Valid(r.body) {
		t.Errorf("%s: no JSON", r)
	}
	for _, inside := range []string{"dynamodb", "Exception", "goroutine", ".go:", "panic", "127.0.0.1"} {
		if bytes.Contains(r.body, []byte(inside)) {
			t.Errorf("%s: %q is nobody's business", r, inside)
		}
	}
	return r
}

func get(t testing.TB, token, path string) reply {
	t.Helper()
	return send(t, request{method: "GET", path: path, token: token})
}

func post(t testing.TB, token, path string, body any) reply {
	t.Helper()
	return send(t, request{method: "POST", path: path, token: token, body: body})
}

// endpoint is the request that the contract has for an operation, with an id in its path and the body of an example.
func endpoint(o *contract.Operation, id string) request {
	r := request{method: o.Method, path: o.At(id)}
	if o.Body != nil {
		r.body = string(o.Body)
	}
	return r
}

// endpoints are all operations of the contract, with paths that name nothing.
func endpoints() (all []request) {
	for _, o := range contracted.Operations() {
		all = append(all, endpoint(o, newID()))
	}
	return all
}

// protected are those of them that need an access token.
func protected() []request {
	return slices.DeleteFunc(endpoints(), func(r request) bool { return !r.operation().Protected })
}

// reads are the GETs among the protected operations: one for each id, where an operation has one.
func reads(ids ...string) (all []request) {
	for _, o := range contracted.Operations() {
		if o.Method != http.MethodGet || !o.Protected {
			continue
		}
		for _, id := range ids {
			if r := endpoint(o, id); !slices.ContainsFunc(all, func(other request) bool { return other.path == r.path }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// operation is what the contract has of a request.
func (r request) operation() *contract.Operation {
	o, known := contracted.Operation(r.method, r.path)
	if !known {
		panic("no such operation: " + r.method + " " + r.path)
	}
	return o
}

func register(t testing.TB, body any) reply {
	t.Helper()
	return post(t, "", "/auth/register", body)
}

func login(t testing.TB, body any) reply {
	t.Helper()
	return post(t, "", "/auth/login", body)
}

func refresh(t testing.TB, token any) reply {
	t.Helper()
	return post(t, "", "/auth/refresh", object{"refreshToken": token})
}

func logout(t testing.TB, body any) {
	t.Helper()
	post(t, "", "/auth/logout", body).is(t, 200, object{"success": true})
}

// herd returns the animals of the token's user as the API shows them.
func herd(t testing.TB, token string) []object {
	t.Helper()
	return get(t, token, "/animals").list(t)
}

func season(t testing.TB, p *player) reply {
	t.Helper()
	return get(t, p.token, "/events/season?id="+newID())
}

func listShows(t testing.TB, query string) []object {
	t.Helper()
	return get(t, reader(t).token, "/events/shows"+query).list(t)
}
