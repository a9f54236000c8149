package faultyproxy

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
)

// Always is the number of times for rules without an end.
const Always = -1

// Rule applies a fault to some exchanges of its route, until it has none left. Older rules come first.
type Rule struct {
	proxy    *Proxy
	route    route
	fault    Fault
	released chan struct{}
	release  sync.Once

	left, begun, ended int // guarded by the proxy's lock
}

// route is a method, "" for any, and a path, "" for any. Segments of the path may be *.
type route struct{ method, pattern string }

func (r route) String() string { return r.method + " " + r.pattern }

func (r route) matches(e *Exchange) bool {
	match, err := path.Match(r.pattern, e.Path)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return (r.method == "" || r.method == e.Method) && (r.pattern == "" || match)
}

// On makes a rule for the next exchanges of a route, so many times.
func (p *Proxy) On(method, pattern string, times int, fault Fault) *Rule {
	rule := &Rule{proxy: p, route: route{method, pattern}, fault: fault, released: make(chan struct{}), left: times}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rule)
	return rule
}

// begin records an exchange, and returns the first rule that applies, or nil.
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

// count changes the rule under the lock, and wakes those who wait.
func (r *Rule) count(change func()) {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	change()
	r.proxy.tell()
}

// Stop ends the rule for later exchanges.
func (r *Rule) Stop() { r.count(func() { r.left = 0 }) }

// Release releases what the rule holds, now and later.
func (r *Rule) Release() { r.release.Do(func() { close(r.released) }) }

// Begun waits until so many exchanges have met the rule.
func (r *Rule) Begun(ctx context.Context, n int) error {
	return r.proxy.await(ctx, fmt.Sprintf("%d exchanges that met the rule for %s", n, r.route), func() bool { return r.begun >= n })
}

// Ended waits until so many exchanges have left the rule: the API has answered the forwarded ones.
func (r *Rule) Ended(ctx context.Context, n int) error {
	return r.proxy.await(ctx, fmt.Sprintf("%d exchanges that are through with the rule for %s", n, r.route), func() bool { return r.ended >= n })
}

// Played returns how many exchanges have met the rule.
func (r *Rule) Played() (n int) {
	r.count(func() { n = r.begun })
	return n
}

// Requests returns the received requests of a route, in order.
func (p *Proxy) Requests(method, pattern string) []*Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.exchanges), func(e *Exchange) bool { return !route{method, pattern}.matches(e) })
}

// Came returns how many requests of a route were received.
func (p *Proxy) Came(method, pattern string) int { return len(p.Requests(method, pattern)) }

// Forwarded returns how often the API has answered a request of a route.
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

// AwaitForwarded waits until the API has answered so many requests of a route.
func (p *Proxy) AwaitForwarded(ctx context.Context, method, pattern string, n int) error {
	r := route{method, pattern}
	return p.await(ctx, fmt.Sprintf("%d requests of %s that the API has answered", n, r), func() bool { return p.forwarded(r) >= n })
}

// tell wakes those who wait for the record. The caller holds the lock.
func (p *Proxy) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// await returns when the condition holds, which it evaluates under the lock.
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
