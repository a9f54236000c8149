package loopback

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// Forward passes requests to the engine at the endpoint, of any size and as many at once as there are, and its answers
// back as they are, except for what they grant to browsers. While the engine does not answer, the answer is a 502,
// which AWS's SDKs take for a passing failure.
func Forward(endpoint *url.URL) http.Handler { return ForwardBy(Transport(), endpoint) }

// Transport returns the transport of Forward, for something that is to stand between it and the engine.
func Transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// No limit in all; enough for tests that do many things at once.
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	// DynamoDB Local closes idle connections after 30 seconds, perhaps under a request.
	transport.IdleConnTimeout = 20 * time.Second
	// DynamoDB's checksums are of the bytes as they are sent.
	transport.DisableCompression = true
	return transport
}

// ForwardBy is Forward by the given transport.
func ForwardBy(transport http.RoundTripper, endpoint *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(endpoint) },
		ModifyResponse: func(r *http.Response) error {
			for name := range r.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					r.Header.Del(name)
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			answer(w, http.StatusBadGateway, "application/x-amz-json-1.0", map[string]string{
				"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": "the engine does not answer: " + err.Error(),
			})
		},
	}
}
