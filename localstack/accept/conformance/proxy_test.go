package conformance

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	api "github.com/ranch-game/ranch/shared/client"
)

// proxy is between a client and the API. It plays the faults of networks and gateways on single requests and responses.
// The scenario decides what happens to which request, so nothing depends on chance. Each connection carries only one
// request, because a client's HTTP library may itself repeat requests on a reused connection.
type proxy struct {
	URL string // base URL, for clients

	s        *play
	api      api.Transport
	server   *http.Server
	listener net.Listener

	mu    sync.Mutex
	rules []*rule
	came  []string // the method and path of each request
}

// newProxy returns another proxy of the real service.
func (s *play) newProxy() *proxy {
	port, err := loopback.FreePort(loopback.Address)
	s.must(err)
	address := net.JoinHostPort(loopback.Address, strconv.Itoa(port))
	p := &proxy{URL: "http://" + address, s: s, api: api.Transport{API: s.stage.API}}
	p.comeBack()
	s.Cleanup(p.goAway)
	return p
}

// comeBack accepts connections, at the same address as before.
func (p *proxy) comeBack() {
	var err error
	p.listener, err = net.Listen("tcp", strings.TrimPrefix(p.URL, "http://"))
	p.s.must(err)
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	p.server.SetKeepAlivesEnabled(false)
	go p.server.Serve(p.listener) // until goAway
}

// goAway breaks the open connections, and refuses new ones until comeBack.
func (p *proxy) goAway() { _, _ = p.listener.Close(), p.server.Close() } // the server may not have begun to listen

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	x := &exchange{ResponseWriter: w, ctx: r.Context(), proxy: p}
	x.request = api.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header}
	if len(body) > 0 {
		x.request.Body = string(body)
	}
	sent := r.Method + " " + r.URL.Path
	x.rule = &rule{fault: func(x *exchange) { x.answer(x.forward()) }}
	p.mu.Lock()
	p.came = append(p.came, sent)
	if i := slices.IndexFunc(p.rules, func(r *rule) bool { return r.left != 0 && matches(r.route, sent) }); i >= 0 {
		x.rule = p.rules[i]
		x.rule.left = max(x.rule.left-1, always)
	}
	p.mu.Unlock()
	x.rule.fault(x)
}

// matches reports whether a request is of a route: a method and a path, in which * is any segment. "" is any route.
func matches(route, sent string) bool {
	match, err := path.Match(route, sent)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return match || route == ""
}

// exchange is a request that the proxy has received, with the writer of its response.
type exchange struct {
	http.ResponseWriter
	ctx     context.Context // ends when the client is gone, or the proxy
	request api.Request
	proxy   *proxy
	rule    *rule
}

// forward sends the request to the API, even if the client has closed its connection, and returns the response.
func (x *exchange) forward() api.Answer {
	a, err := x.proxy.api.Send(context.WithoutCancel(x.ctx), x.request)
	if err != nil {
		return api.Answer{Status: http.StatusNotImplemented, Body: []byte("the API behind the proxy: " + err.Error())}
	}
	return a
}

// answer sends an answer to the client.
func (x *exchange) answer(a api.Answer) {
	x.head(a)
	_, _ = x.Write(a.Body) // the client may be gone
}

// head writes everything except the body.
func (x *exchange) head(a api.Answer) {
	maps.Copy(x.Header(), a.Header)
	x.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	x.WriteHeader(a.Status)
}

// cut breaks the connection.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }

// hold waits until the scenario releases the rule. If the client goes before, the exchange ends.
func (x *exchange) hold() {
	held := func(n int) {
		x.proxy.mu.Lock()
		defer x.proxy.mu.Unlock()
		x.rule.held += n
	}
	held(1)
	defer held(-1)
	select {
	case <-x.rule.released:
	case <-x.ctx.Done():
		x.cut()
	}
}

// fault decides whether the proxy forwards a request, and what the client gets.
type fault func(x *exchange)

// loseRequest cuts the connection, and does not forward the request.
func loseRequest(x *exchange) { x.cut() }

// loseAnswer forwards the request, and cuts the connection instead of answering.
func loseAnswer(x *exchange) {
	x.forward()
	x.cut()
}

// cutAnswer forwards the request, and cuts the connection in the middle of the response's body.
func cutAnswer(x *exchange) {
	a := x.forward()
	x.head(a)
	_, _ = x.Write(a.Body[:len(a.Body)/2])
	_ = http.NewResponseController(x.ResponseWriter).Flush()
	x.cut()
}

// holdRequest forwards the request when the scenario releases the rule.
func holdRequest(x *exchange) {
	x.hold()
	x.answer(x.forward())
}

// holdAnswer forwards the request at once, but sends the response only when the scenario releases the rule.
func holdAnswer(x *exchange) {
	a := x.forward()
	x.hold()
	x.answer(a)
}

// answer returns a fault that answers without forwarding the request. header has names and values in turn.
func answer(status int, body string, header ...string) fault {
	a := api.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
	if strings.HasPrefix(body, "<") {
		a.Header.Set("Content-Type", "text/html")
	}
	for pair := range slices.Chunk(header, 2) {
		a.Header.Set(pair[0], pair[1])
	}
	return func(x *exchange) { x.answer(a) }
}

// answers returns a fault for each body, which answers without forwarding the request.
func answers(status int, bodies ...string) (all []fault) {
	for _, body := range bodies {
		all = append(all, answer(status, body))
	}
	return all
}

// instead returns a fault for each body, which forwards the request, but answers with the status and the body.
func instead(status int, bodies ...string) (all []fault) {
	for _, own := range answers(status, bodies...) {
		all = append(all, func(x *exchange) { x.forward(); own(x) })
	}
	return all
}

// always is the number of times of a rule without a limit.
const always = -1

// rule applies a fault to exchanges of a route. If several rules match an exchange, the oldest one that has exchanges
// left applies.
type rule struct {
	proxy    *proxy
	route    string
	fault    fault
	released chan struct{}

	left, held int // the numbers of exchanges to come, and under way in hold. The proxy's lock guards them
}

// on adds a rule that applies the fault to the next exchanges of a route. times is their number, or always.
func (p *proxy) on(route string, times int, f fault) *rule {
	r := &rule{proxy: p, route: route, fault: f, released: make(chan struct{}), left: times}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, r)
	return r
}

// stop ends the rule: it does not apply to later exchanges.
func (r *rule) stop() {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	r.left = 0
}

// release lets the exchanges continue that the rule's fault holds now, or would hold later.
func (r *rule) release() { close(r.released) }

// holds waits until the rule holds n exchanges. If the client closes the connection of one, the rule holds it no more.
func (r *rule) holds(n int) {
	require.Eventually(r.proxy.s, func() bool {
		r.proxy.mu.Lock()
		defer r.proxy.mu.Unlock()
		return r.held == n
	}, patience, time.Millisecond, "the rule of %s does not hold %d exchanges", r.route, n)
}

// requests returns the number of requests of a route that the proxy has received.
func (p *proxy) requests(route string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sent := range p.came {
		if matches(route, sent) {
			n++
		}
	}
	return n
}
