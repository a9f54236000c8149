package dynamo

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Proxy is a handler that passes requests to an engine and lets them meet faults. It is on from the beginning.
type Proxy struct {
	options Options
	engine  *url.URL
	front   *visibility.Front
	refuse  func(time.Duration) // lets nobody connect for a while

	mu      sync.Mutex
	changed *sync.Cond // pending has become less
	on      bool
	number  uint64 // of the last request in the sequence
	pending int    // requests that met faults, late attempts and commits that are not over
	counts  map[string]int
}

// NewProxy returns a Proxy before the engine at the address. refuse is called when connections are to be refused for so
// long; it returns at once. The request that has met this is cut in any case. nil lets no more happen than that.
func NewProxy(o Options, engine *url.URL, refuse func(time.Duration)) *Proxy {
	p := &Proxy{
		options: o, engine: engine, front: visibility.New(loopback.Transport()), refuse: refuse, on: true, counts: map[string]int{},
	}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// attempt is a request on its way.
type attempt struct {
	*visibility.Request
	http *http.Request // as the engine shall have it
	body []byte
}

// ServeHTTP passes one request, or not.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := protocol.ReadAll(r.Body, r.ContentLength)
	if err != nil {
		panic(http.ErrAbortHandler) // its client has gone
	}
	a, err := p.attempt(p.outgoing(r), body)
	if err != nil {
		deliver(w, nil, err)
		return
	}
	n, on := p.begin(a.Request)
	if !on {
		response, commit, err := p.pass(a)
		if commit != nil {
			commit.End()
		}
		deliver(w, response, err)
		return
	}
	defer p.done()
	d := p.options.decide(n, a.Request)
	if p.front.Repeats(a.Request) {
		d = d.ofRepetition()
	}
	p.meet(w, a, d)
}

// attempt returns the attempt of a request with the body.
func (p *Proxy) attempt(r *http.Request, body []byte) (*attempt, error) {
	parsed, err := p.front.Parse(protocol.WithBody(r, body))
	return &attempt{parsed, r, body}, err
}

// outgoing returns the request as the engine shall have it.
func (p *Proxy) outgoing(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = p.engine.Scheme, p.engine.Host, "", ""
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		out.Header.Del(name)
	}
	return out
}

// begin gives a request that reads or writes items its number, while the faults are on.
func (p *Proxy) begin(r *visibility.Request) (n uint64, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on || !r.Changes() && len(r.Reads) == 0 {
		return 0, false
	}
	p.number++
	p.pending++
	return p.number, true
}

func (p *Proxy) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending--
	p.changed.Broadcast()
}

func (p *Proxy) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[what]++
}

// meet lets a request meet its fault.
func (p *Proxy) meet(w http.ResponseWriter, a *attempt, d decision) {
	if d.fault != "" {
		p.count(string(d.fault))
	}
	switch d.fault {
	case Conflict:
		deliver(w, conflict(a, d), nil)
	case Throttle:
		deliver(w, throttled(a, d), nil)
	case Error:
		deliver(w, serverError(a), nil)
	case ErrorAfter:
		response, _, err := p.apply(a, d)
		if err == nil && response.StatusCode == http.StatusOK {
			response = serverError(a) // what was not applied is told as it is
		}
		deliver(w, response, err)
	case Lost:
		_, _, _ = p.apply(a, d)
		panic(http.ErrAbortHandler)
	case Broken:
		response, _, err := p.apply(a, d)
		deliverHalf(w, response, err)
	case Late:
		p.late(w, a, d)
	case Refuse:
		if p.refuse != nil {
			p.refuse(p.options.Outage)
		}
		panic(http.ErrAbortHandler)
	case Unprocessed:
		response, err := p.inPart(a, d)
		deliver(w, response, err)
	default:
		response, over, err := p.apply(a, d)
		<-over // as in the cloud, a transaction's client is told when it is over
		sleep(a.http.Context(), d.delay)
		deliver(w, response, err)
	}
}

// pass lets the engine answer.
func (p *Proxy) pass(a *attempt) (*http.Response, *visibility.Commit, error) {
	if a.Changes() {
		return p.front.Write(a.Request)
	}
	// Time shows items, not who looks.
	response, err := p.front.Read(a.Request, func(visibility.Key) bool { return false })
	return response, nil, err
}

// apply lets the engine answer and holds what a transaction has written. over is closed when its items are free.
func (p *Proxy) apply(a *attempt, d decision) (response *http.Response, over <-chan struct{}, err error) {
	ended := make(chan struct{})
	response, commit, err := p.pass(a)
	if err == nil && response.StatusCode == http.StatusBadRequest {
		p.countConflict(response)
	}
	if commit == nil {
		close(ended)
		return response, ended, err
	}
	if d.hold == 0 {
		commit.End()
		close(ended)
		return response, ended, err
	}
	p.count(held)
	p.mu.Lock()
	p.pending++
	p.mu.Unlock()
	go func() {
		defer p.done()
		defer close(ended)
		show(commit, d)
	}()
	return response, ended, err
}

// show shows a commit's items one by one and ends it.
func show(commit *visibility.Commit, d decision) {
	type moment struct {
		key visibility.Key
		at  time.Duration
	}
	var moments []moment
	for i, k := range commit.Hidden() {
		moments = append(moments, moment{k, time.Duration(d.shows[i] * float64(d.hold))})
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return int(a.at - b.at) })
	began := time.Now()
	for _, m := range moments {
		sleep(context.Background(), m.at-time.Since(began))
		commit.Show(m.key)
	}
	sleep(context.Background(), d.hold-time.Since(began))
	commit.End()
}

// countConflict counts a refusal for what another transaction holds. The body can still be read after.
func (p *Proxy) countConflict(response *http.Response) {
	body, err := protocol.ReadAll(response.Body, response.ContentLength)
	if err != nil {
		return
	}
	protocol.SetBody(response, body)
	switch text := string(body); {
	case strings.Contains(text, "TransactionInProgressException"):
		p.count(metInProgress)
	case strings.Contains(text, "TransactionConflict"):
		p.count(metConflict)
	}
}

// late tells the client a failure and carries the request out a while after.
func (p *Proxy) late(w http.ResponseWriter, a *attempt, d decision) {
	p.mu.Lock()
	p.pending++
	p.mu.Unlock()
	go func() {
		defer p.done()
		sleep(context.Background(), d.delay)
		response, over, err := p.apply(a, d)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				p.count(lateAccepted)
			}
		}
		<-over
	}()
	if d.second {
		panic(http.ErrAbortHandler)
	}
	deliver(w, serverError(a), nil)
}

// inPart carries out a part of a batch.
func (p *Proxy) inPart(a *attempt, d decision) (*http.Response, error) {
	now, later := split(elementsOf(protocol.MemberOf(a.body, "RequestItems")), d.pick)
	part, err := p.attempt(a.http, protocol.With(a.body, protocol.Named("RequestItems", render(now))))
	if err != nil {
		return nil, err
	}
	response, _, err := p.apply(part, d)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	body, err := protocol.ReadAll(response.Body, response.ContentLength)
	if err != nil {
		return nil, err
	}
	left := "UnprocessedKeys"
	if a.Changes() {
		left = "UnprocessedItems"
	}
	later = merge(later, elementsOf(protocol.MemberOf(body, left)))
	protocol.SetBody(response, protocol.With(body, protocol.Named(left, render(later))))
	return response, nil
}

// sleep returns after d, or when the context ends.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
