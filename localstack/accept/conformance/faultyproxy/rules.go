package faultyproxy

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"
)

// Always is the number of times of a rule without a limit.
const Always = -1

// Rule applies a fault to exchanges of a route: a limited number of them, or all. If several rules match an exchange,
// the oldest one that has exchanges left applies.
type Rule struct {
	proxy    *Proxy
	route    route
	fault    Fault
	released chan struct{}
	release  sync.Once

	left, begun, forwarded, ended int // guarded by the proxy's lock
}

// route selects exchanges by method and path. "" matches every method or path. A * in the path matches any segment.
type route struct{ method, pattern string }

func (r route) String() string { return r.method + " " + r.pattern }

func (r route) matches(sent *http.Request) bool {
	match, err := path.Match(r.pattern, sent.URL.Path)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return (r.method == "" || r.method == sent.Method) && (r.pattern == "" || match)
}

// On adds a rule that applies the fault to the next exchanges of a route. times is their number, or Always.
func (p *Proxy) On(method, pattern string, times int, fault Fault) *Rule {
	rule := &Rule{proxy: p, route: route{method, pattern}, fault: fault, released: make(chan struct{}), left: times}
	rule.count(func() { p.rules = append(p.rules, rule) })
	return rule
}

// begin records an exchange, and gives it the rule that applies, or else a rule that only forwards it.
func (p *Proxy) begin(e *Exchange) {
	e.rule = &Rule{proxy: p, fault: func(e *Exchange) { e.answer(e.forward()) }}
	e.rule.count(func() {
		p.requests = append(p.requests, e.request)
		i := slices.IndexFunc(p.rules, func(r *Rule) bool { return r.left != 0 && r.route.matches(e.request) })
		if i >= 0 {
			e.rule = p.rules[i]
			e.rule.begun++
			e.rule.left = max(e.rule.left-1, Always)
		}
	})
}

// count calls f under the proxy's lock.
func (r *Rule) count(f func()) {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	f()
}

// Stop ends the rule: it does not apply to later exchanges.
func (r *Rule) Stop() { r.count(func() { r.left = 0 }) }

// Release lets the exchanges continue that the rule's fault holds now, or would hold later.
func (r *Rule) Release() { r.release.Do(func() { close(r.released) }) }

// Begun waits until the rule has applied to an exchange.
func (r *Rule) Begun(ctx context.Context) error {
	return r.await(ctx, "begun", func() bool { return r.begun > 0 })
}

// Forwarded waits until the API has answered all exchanges of a rule with a limited number.
func (r *Rule) Forwarded(ctx context.Context) error {
	return r.await(ctx, "forwarded", func() bool { return r.left == 0 && r.forwarded >= r.begun })
}

// Ended waits until an exchange of the rule has ended. If the fault has forwarded the request, the API has answered.
func (r *Rule) Ended(ctx context.Context) error {
	return r.await(ctx, "ended", func() bool { return r.ended > 0 })
}

// await waits until holds returns true under the lock. If ctx ends before, await returns an error.
func (r *Rule) await(ctx context.Context, what string, holds func() bool) error {
	for {
		held := false
		r.count(func() { held = holds() })
		if held {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no exchange of %s has %s: %w", r.route, what, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

// Came returns the number of requests of a route that the proxy has received. "" matches every method or path.
func (p *Proxy) Came(method, pattern string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if (route{method, pattern}).matches(r) {
			n++
		}
	}
	return n
}

// Unmet returns the routes of the rules with a limited number that have not applied to all of their exchanges.
func (p *Proxy) Unmet() (routes []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.rules {
		if r.left > 0 {
			routes = append(routes, r.route.String())
		}
	}
	return routes
}
