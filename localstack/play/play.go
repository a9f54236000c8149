// Package play serves the reference game. Like most games, the page has another origin than the API, so it needs CORS.
// Package play bundles the page from the working tree at each load: to see a change, reload. Write makes the same files
// for a static host (docs/adr/0025-the-page-is-bundled.md).
//
// The page's policy (CSP) allows only scripts, styles and pictures from the page's own origin, and no inline code. So
// the browser never runs markup that a player puts into a name. The page may send requests to any API (?api=).
package play

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

const contract = "docs/openapi.yaml"

// referenceFiles maps names below /reference/ to files of the working tree. They are the files of the page that shows
// the API: ours, and those of Swagger UI, which `make reference` installs (docs/adr/0023-the-reference-page.md).
var referenceFiles = map[string]string{
	"":                     "localstack/play/reference/index.html",
	"start.js":             "localstack/play/reference/start.js",
	"page.css":             "localstack/play/reference/page.css",
	"icon.svg":             "localstack/play/web/icon.svg",
	"swagger-ui-bundle.js": "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui-bundle.js",
	"swagger-ui.css":       "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui.css",
}

// Config has the source of the page, and the API that it uses.
type Config struct {
	Root  string         // of the working tree
	API   string         // base URL of the API that the page uses
	Hosts loopback.Hosts // that requests may name besides loopback names; the API has the same
}

// policy is the page's Content-Security-Policy. It allows files only from the page's own origin, and requests to any
// API. No other page may show this page in a frame. For hosts that send no headers, index.html has this policy except
// the rule on frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src *; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes has the Content-Type of every served file, by the ending of the file's name.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".map":  "application/json", // a source map, for debuggers
	".json": "application/json",
	".svg":  "image/svg+xml",
	".yaml": "application/yaml",
}

// Handler serves the page at /, its bundled files at /assets/, the contract (openapi.yaml) at /openapi.yaml, a page for
// trying the API at /reference/, and the API's address at /config.json. Like the API, it refuses requests with
// another host than this machine's loopback names and Hosts (ADR 10).
func Handler(cfg Config) http.Handler {
	s, mux := &server{Config: cfg}, http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.HandleFunc("GET /index.html", s.servePage)
	mux.HandleFunc("GET /"+assets+"{name}", s.serveAsset)
	mux.HandleFunc("GET /config.json", s.serveConfig)
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) { s.serveFile(w, r, contract) })
	mux.HandleFunc("GET /reference/{name...}", s.serveReference)
	return strict(loopback.RequireHost(mux, cfg.Hosts))
}

type server struct {
	Config

	mu    sync.Mutex
	built map[string][]byte // the files of the last bundle
}

// servePage bundles the page and answers with its HTML.
func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	files, err := Bundle(s.Root)
	if errors.Is(err, ErrNoClient) {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.mu.Lock()
	s.built = files
	s.mu.Unlock()
	if !loopback.IsLoopback(r.Host) {
		w.Header().Del("Cross-Origin-Opener-Policy") // over plain http, browsers ignore it and complain
	}
	w.Header().Set("Link", "<"+s.apiFor(r)+">; rel=preconnect; crossorigin") // the browser connects while the scripts load
	answer(w, r, ".html", files["index.html"])
}

// serveAsset answers with a bundled file, which a browser may keep.
func (s *server) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := assets + r.PathValue("name")
	s.mu.Lock()
	content, ok := s.built[name]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	answer(w, r, path.Ext(name), content)
}

// apiFor returns the API's address for the device that sends a request: if it reaches the page by another name or
// address of this machine, with the port, it reaches the API by the same. A tunnel's name has no port: there the page
// needs a link that names the API.
func (s *server) apiFor(r *http.Request) string {
	api, err := url.Parse(s.API)
	host, _, reached := net.SplitHostPort(r.Host)
	if err != nil || reached != nil || loopback.IsLoopback(r.Host) {
		return s.API
	}
	api.Host = net.JoinHostPort(host, api.Port())
	return api.String()
}

// serveConfig answers with the API's address. It allows links to name another API (?api=), for developers.
func (s *server) serveConfig(w http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(map[string]any{"api": s.apiFor(r), "links": true})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, r, ".json", body)
}

// serveReference answers with a file of the API's page.
func (s *server) serveReference(w http.ResponseWriter, r *http.Request) {
	file, known := referenceFiles[r.PathValue("name")]
	if !known {
		http.NotFound(w, r)
		return
	}
	if _, err := os.Stat(filepath.Join(s.Root, referenceFiles["swagger-ui-bundle.js"])); err != nil {
		http.Error(w, "The page of the API needs Swagger UI. Run make reference, then reload this page.", http.StatusServiceUnavailable)
		return
	}
	s.serveFile(w, r, file)
}

func (s *server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	content, err := os.ReadFile(filepath.Join(s.Root, name))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, r, path.Ext(name), content)
}

// answer sends a file whose name has the given ending. If the file is longer than 1,000 bytes and the browser accepts
// gzip, answer compresses it.
func answer(w http.ResponseWriter, r *http.Request, ending string, body []byte) {
	w.Header().Set("Content-Type", contentTypes[ending])
	if len(body) <= 1000 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = w.Write(body) // the browser may be gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	compressed := gzip.NewWriter(w)
	_, _ = compressed.Write(body)
	_ = compressed.Close()
}

// strict sets the security headers of all answers, and forbids browsers to store the answers. serveAsset allows
// browsers to store files with a hash in their name.
func strict(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-store",
			"Vary":                         "Accept-Encoding",
		} {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
