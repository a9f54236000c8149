package faultyproxy

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
)

// Always is the number of times of a rule that never ends.
const Always = -1

// Rule applies a fault to exchanges of a route: a limited number of them, or all. If several rules match an exchange,
// the oldest one that has exchanges left applies.
type Rule struct {
	proxy    *Proxy
	route    route
	fault    Fault
	released chan struct{}
	release  sync.Once

	left, begun, ended int // guarded by the proxy's lock
}

// route selects exchanges by method and path. "" matches every method or path. A * in the path matches any segment.
type route struct{ method, pattern string }

func (r route) String() string { return r.method + " " + r.pattern }

func (r route) matches(e *Exchange) bool {
	match, err := path.Match(r.pattern, e.Path)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return (r.method == "" || r.method == e.Method) && (r.pattern == "" || match)
}

// On adds a rule that applies the fault to the next exchanges of a route. times is their number, or Always.
func (p *Proxy) On(method, pattern string, times int, fault Fault) *Rule {
	rule := &Rule{proxy: p, route: route{method, pattern}, fault: fault, released: make(chan struct{}), left: times}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rule)
	return rule
}

// begin records an exchange. It returns the first rule that applies to the exchange, or nil if no rule does.
func (p *Proxy) begin(e *Exchange) *Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.tell()
	p.exchanges = append(p.exchanges, e)
	i := slices.IndexFunc(p.rules, func(r *Rule) bool { return r.left != 0 && r.route.matches(e) })
	if i < 0 {
		return nil
	}
	rule := p.rules[i]
	rule.begun++
	if rule.left > 0 {
		rule.left--
	}
	return rule
}

// count calls change under the proxy's lock, and wakes the goroutines that wait for a change of the record.
func (r *Rule) count(change func()) {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	change()
	r.proxy.tell()
}

// Stop ends the rule, so that later exchanges do not meet it.
func (r *Rule) Stop() { r.count(func() { r.left = 0 }) }

// Release lets exchanges go on that the rule's fault holds, now and later.
func (r *Rule) Release() { r.release.Do(func() { close(r.released) }) }

// Begun waits until n exchanges have met the rule.
func (r *Rule) Begun(ctx context.Context, n int) error {
	return r.proxy.await(ctx, fmt.Sprintf("%d exchanges that met the rule for %s", n, r.route), func() bool { return r.begun >= n })
}

// Ended waits until n exchanges that met the rule have ended. The API has then answered those that were forwarded.
func (r *Rule) Ended(ctx context.Context, n int) error {
	return r.proxy.await(ctx, fmt.Sprintf("%d exchanges that are through with the rule for %s", n, r.route), func() bool { return r.ended >= n })
}

// Played returns how many exchanges have met the rule.
func (r *Rule) Played() (n int) {
	r.count(func() { n = r.begun })
	return n
}

// Requests returns the requests of a route that the proxy has received, in order.
func (p *Proxy) Requests(method, pattern string) []*Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.exchanges), func(e *Exchange) bool { return !route{method, pattern}.matches(e) })
}

// Came returns the number of requests of a route that the proxy has received.
func (p *Proxy) Came(method, pattern string) int { return len(p.Requests(method, pattern)) }

// Forwarded returns the number of requests of a route that the proxy has forwarded and the API has answered.
func (p *Proxy) Forwarded(method, pattern string) (total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.forwarded(route{method, pattern})
}

func (p *Proxy) forwarded(r route) (total int) {
	for _, e := range p.exchanges {
		if r.matches(e) {
			total += e.forwarded
		}
	}
	return total
}

// AwaitForwarded waits until the API has answered n requests of a route. If ctx ends before, it returns an error.
func (p *Proxy) AwaitForwarded(ctx context.Context, method, pattern string, n int) error {
	r := route{method, pattern}
	return p.await(ctx, fmt.Sprintf("%d requests of %s that the API has answered", n, r), func() bool { return p.forwarded(r) >= n })
}

// tell wakes the goroutines that wait for a change of the record. The caller holds the proxy's lock.
func (p *Proxy) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// await returns nil when the function holds, which it calls under the lock, returns true. If ctx ends before, it
// returns an error that names what.
func (p *Proxy) await(ctx context.Context, what string, holds func() bool) error {
	for {
		p.mu.Lock()
		held, changed := holds(), p.changed
		p.mu.Unlock()
		if held {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
}
