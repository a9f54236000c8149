package client

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// wire records whether an attempt got a connection. Without a connection, the service has received nothing. The cause
// may be an unknown name, a closed port, a dead proxy, a refused certificate, or a time-out.
type wire struct{ wanted, got atomic.Bool }

func (w *wire) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.wanted.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { w.got.Store(true) },
	})
}

// unused reports whether the attempt certainly sent nothing. If the caller's http.RoundTripper does not report
// connections, the error decides.
func (w *wire) unused(err error) bool {
	if w.wanted.Load() {
		return !w.got.Load()
	}
	_, unresolved := errors.AsType[*net.DNSError](err)
	op, failed := errors.AsType[*net.OpError](err)
	return unresolved || failed && op.Op == "dial"
}
