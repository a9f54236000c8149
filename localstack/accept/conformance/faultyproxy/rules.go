package faultyproxy

import (
	"context"
	"fmt"
	"path"
	"sync"
)

// Always is for rules that hold for all exchanges.
const Always = -1

// Rule says what becomes of some exchanges. Those of its route that come while it has some left are its own; rules that
// were made first go first.
type Rule struct {
	proxy           *Proxy
	method, pattern string
	fault           Fault
	released        chan struct{}
	release         sync.Once

	// By the proxy's lock.
	left, begun, ended int
}

// On makes a rule for the next so many exchanges of a route: of a method, "" for any, and of a path whose segments may
// be *, "" for any.
func (p *Proxy) On(method, pattern string, times int, fault Fault) *Rule {
	rule := &Rule{proxy: p, method: method, pattern: pattern, fault: fault, released: make(chan struct{}), left: times}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rule)
	return rule
}

// takes reports whether an exchange is the rule's, and counts it; it needs the proxy's lock.
func (r *Rule) takes(method, requested string) bool {
	if r.left == 0 || !matches(r.method, r.pattern, method, requested) {
		return false
	}
	if r.left > 0 {
		r.left--
	}
	r.begun++
	return true
}

func matches(method, pattern, gotMethod, gotPath string) bool {
	if method != "" && method != gotMethod {
		return false
	}
	if pattern == "" {
		return true
	}
	match, err := path.Match(pattern, gotPath)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return match
}

func (r *Rule) end() {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	r.ended++
	r.proxy.tell()
}

// Stop leaves exchanges alone from now on.
func (r *Rule) Stop() {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	r.left = 0
}

// Release lets go what the rule holds, now and later.
func (r *Rule) Release() { r.release.Do(func() { close(r.released) }) }

// Begun waits until so many exchanges have met the rule.
func (r *Rule) Begun(ctx context.Context, n int) error {
	return r.await(ctx, "met", n, func() int { return r.begun })
}

// Ended waits until so many exchanges are through with the rule: what it had to forward was answered by the API.
func (r *Rule) Ended(ctx context.Context, n int) error {
	return r.await(ctx, "are through with", n, func() int { return r.ended })
}

func (r *Rule) await(ctx context.Context, what string, n int, count func() int) error {
	if err := r.proxy.await(ctx, func() bool { return count() >= n }); err != nil {
		return fmt.Errorf("%d exchanges that %s the rule for %s %s: %w", n, what, r.method, r.pattern, err)
	}
	return nil
}

// Played returns how many exchanges have met the rule.
func (r *Rule) Played() int {
	r.proxy.mu.Lock()
	defer r.proxy.mu.Unlock()
	return r.begun
}
