package dynamo

import (
	"errors"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Transport returns an HTTP transport for a proxy before an engine. It has no limit for concurrent requests.
func Transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	transport.IdleConnTimeout = 20 * time.Second // DynamoDB Local closes its own after 30, perhaps during a request
	transport.DisableCompression = true          // checksums are of the bytes as they are sent
	return transport
}

// Forward returns a reverse proxy that sends requests of any size to the engine with the transport. It returns the
// engine's responses unchanged, except for headers that permit access to browsers. If the engine does not answer, the
// client gets a 502, after which AWS's SDKs try again. If the transport returns faults.ErrCut, Forward cuts the
// client's connection.
func Forward(engine *url.URL, transport http.RoundTripper) http.Handler {
	return &httputil.ReverseProxy{
		Transport:     transport,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(engine) },
		FlushInterval: -1,                         // a broken answer must begin
		ErrorLog:      log.New(io.Discard, "", 0), // it would log broken answers
		ModifyResponse: func(r *http.Response) error {
			maps.DeleteFunc(r.Header, func(name string, _ []string) bool { return strings.HasPrefix(name, "Access-Control-") })
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if errors.Is(err, faults.ErrCut) {
				panic(http.ErrAbortHandler)
			}
			answer := protocol.Unanswered(err).Respond(r)
			w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
			w.WriteHeader(answer.StatusCode)
			_, _ = io.Copy(w, answer.Body)
		},
	}
}
