package loopback

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// Transport returns an HTTP transport for a proxy before a local server. It has no limit for concurrent requests.
func Transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	transport.IdleConnTimeout = 20 * time.Second // DynamoDB Local closes its own after 30 s, perhaps during a request
	transport.DisableCompression = true          // a checksum belongs to the bytes that are sent
	return transport
}

// Forward returns a proxy that passes requests of any size to the engine at the endpoint.
func Forward(endpoint *url.URL) http.Handler { return ForwardBy(Transport(), endpoint) }

// ForwardBy returns a proxy that passes requests to the engine with the transport. It returns the engine's responses
// unchanged, except for headers that permit access to browsers. If the engine does not answer, the client gets a 502,
// after which AWS's SDKs try again. If the error is io.ErrUnexpectedEOF, the proxy cuts the connection.
func ForwardBy(transport http.RoundTripper, endpoint *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport:     transport,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(endpoint) },
		FlushInterval: -1,                         // so that the beginning of a response that breaks off is sent
		ErrorLog:      log.New(io.Discard, "", 0), // it would log each response that breaks off
		ModifyResponse: func(r *http.Response) error {
			maps.DeleteFunc(r.Header, func(name string, _ []string) bool { return strings.HasPrefix(name, "Access-Control-") })
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(http.StatusBadGateway)
			_ = json.NewEncoder(w).Encode(map[string]string{
				"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": "the engine does not answer: " + err.Error(),
			})
		},
	}
}
