package faultyproxy

import (
	"context"
	"fmt"
	"net/http"
)

// Exchange is a request that has come, with what became of it.
type Exchange struct {
	Method, Path string // without the query
	Header       http.Header
	Body         string

	uri    string // as it was sent
	proxy  *Proxy
	writer http.ResponseWriter
	gone   <-chan struct{} // the client

	forwarded int // by the proxy's lock
}

// Requests returns the requests of a route that have come, in order. Methods and paths are as of On.
func (p *Proxy) Requests(method, pattern string) []*Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*Exchange
	for _, e := range p.exchanges {
		if matches(method, pattern, e.Method, e.Path) {
			found = append(found, e)
		}
	}
	return found
}

// Came returns how many requests of a route have come.
func (p *Proxy) Came(method, pattern string) int { return len(p.Requests(method, pattern)) }

// Forwarded returns how often the API has answered a request of a route.
func (p *Proxy) Forwarded(method, pattern string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.forwarded(method, pattern)
}

// forwarded is Forwarded, under the lock.
func (p *Proxy) forwarded(method, pattern string) (total int) {
	for _, e := range p.exchanges {
		if matches(method, pattern, e.Method, e.Path) {
			total += e.forwarded
		}
	}
	return total
}

// AwaitForwarded waits until the API has answered so many requests of a route.
func (p *Proxy) AwaitForwarded(ctx context.Context, method, pattern string, n int) error {
	if err := p.await(ctx, func() bool { return p.forwarded(method, pattern) >= n }); err != nil {
		return fmt.Errorf("%d requests of %s %s that the API has answered: %w", n, method, pattern, err)
	}
	return nil
}
