package loopback

import (
	"net/http"
	"net/url"

	"github.com/ranch-game/ranch/localstack/dynamo"
)

// Forward passes requests to the engine at the endpoint (dynamo.Forward).
func Forward(endpoint *url.URL) http.Handler { return ForwardBy(Transport(), endpoint) }

// Transport returns the transport that Forward uses, for code that sits between Forward and the engine.
func Transport() *http.Transport { return dynamo.Transport() }

// ForwardBy is Forward with the given transport.
func ForwardBy(transport http.RoundTripper, endpoint *url.URL) http.Handler {
	return dynamo.Forward(endpoint, transport)
}
