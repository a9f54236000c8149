package client

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// wire watches whether an attempt came to a connection. Where it came to none (a name that is not known, a port where
// nobody listens, a proxy that is away, a certificate that is refused, no time left), the service has seen nothing.
type wire struct{ wanted, got atomic.Bool }

func (w *wire) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.wanted.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { w.got.Store(true) },
	})
}

// unused says whether nothing was sent for sure, by the error of the attempt where the caller's http.RoundTripper tells
// nothing.
func (w *wire) unused(err error) bool {
	if w.wanted.Load() {
		return !w.got.Load()
	}
	_, unresolved := errors.AsType[*net.DNSError](err)
	op, failed := errors.AsType[*net.OpError](err)
	return unresolved || failed && op.Op == "dial"
}
