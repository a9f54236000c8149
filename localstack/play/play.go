// Package play serves the reference game on an origin of its own, since a game's page usually has another origin than
// its API: so CORS is real. It bundles the page from the working tree at each load, so that a change takes effect after
// a reload. Write makes the same files for a static host (docs/adr/0025-the-page-is-bundled.md).
//
// The page consists only of files of its own origin, and its policy (CSP) enforces that: no script, style or picture of
// another origin, and no inline code. So a name with markup in it stays a name. The page may send requests to any API
// (?api=).
package play

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

const contract = "docs/openapi.yaml"

// referenceFiles are the files of the API's page by their names below /reference/: ours, and those of Swagger UI. make
// installs the latter (docs/adr/0023-the-reference-page.md).
var referenceFiles = map[string]string{
	"":                     "localstack/play/reference/index.html",
	"start.js":             "localstack/play/reference/start.js",
	"page.css":             "localstack/play/reference/page.css",
	"icon.svg":             "localstack/play/web/icon.svg",
	"swagger-ui-bundle.js": "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui-bundle.js",
	"swagger-ui.css":       "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui.css",
}

// Config says what is served.
type Config struct {
	Root string // of the working tree
	API  string // base URL of the API that the page plays with
}

// policy is the page's Content-Security-Policy: it may load its own files, and send requests to any API. Nothing may
// frame it. index.html has the same policy, for hosts that send no headers.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src *; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes are the types of all served files, by the ends of their names.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".map":  "application/json", // a source map, for debuggers
	".json": "application/json",
	".svg":  "image/svg+xml",
	".yaml": "application/yaml",
}

// Handler serves the page at /, its bundled files at /assets/, the contract at /openapi.yaml, the page that shows and
// tries the API at /reference/, and the API's address at /config.json. It answers only requests for this machine's own
// names, as the API does (ADR 10).
func Handler(cfg Config) http.Handler {
	return strict(loopback.RequireHost(readOnly(&server{Config: cfg})))
}

type server struct {
	Config

	mu sync.Mutex
	// built are the files of the last two bundles, the newest first. A page that was loaded just before a change still
	// gets its files.
	built [2]map[string][]byte
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	ofReference, isOfReference := strings.CutPrefix(name, "reference/")
	switch {
	case name == "" || name == "index.html":
		s.servePage(w, r)
	case strings.HasPrefix(name, assets):
		s.serveAsset(w, r, name)
	case name == "config.json":
		body, err := json.Marshal(map[string]any{"api": s.API, "links": true}) // developers may use links
		if err != nil {
			say(w, r, http.StatusInternalServerError, err.Error())
			return
		}
		answer(w, r, http.StatusOK, contentTypes[".json"], body)
	case name == "openapi.yaml":
		s.serveFile(w, r, contract)
	case name == "reference":
		http.Redirect(w, r, "/reference/", http.StatusFound)
	case isOfReference:
		s.serveReference(w, r, ofReference)
	default:
		notThere(w, r)
	}
}

// servePage bundles the page and answers with its HTML.
func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	files, err := Bundle(s.Root)
	if errors.Is(err, ErrNoClient) {
		notBuilt(w, r, "The game needs the TypeScript client, which is not built yet", "make client")
		return
	}
	if err != nil {
		say(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	s.mu.Lock()
	if string(s.built[0]["index.html"]) != string(files["index.html"]) {
		s.built = [2]map[string][]byte{files, s.built[0]}
	}
	s.mu.Unlock()
	w.Header().Set("Link", "<"+s.API+">; rel=preconnect; crossorigin") // the browser connects while the scripts load
	answer(w, r, http.StatusOK, contentTypes[".html"], files["index.html"])
}

// serveAsset answers with a bundled file, which a browser may keep.
func (s *server) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, files := range s.built {
		if content, ok := files[name]; ok {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			answer(w, r, http.StatusOK, contentTypes[path.Ext(name)], content)
			return
		}
	}
	notThere(w, r)
}

// serveReference answers with a file of the API's page.
func (s *server) serveReference(w http.ResponseWriter, r *http.Request, name string) {
	file, known := referenceFiles[name]
	if !known {
		notThere(w, r)
		return
	}
	if _, err := os.Stat(s.path(referenceFiles["swagger-ui-bundle.js"])); name == "" && err != nil {
		notBuilt(w, r, "The page of the API needs Swagger UI, which is not installed yet", "make reference")
		return
	}
	s.serveFile(w, r, file)
}

func (c Config) path(name string) string { return filepath.Join(c.Root, filepath.FromSlash(name)) }

// strict sets the headers of all answers. A browser keeps only files whose names have their hash (serveAsset).
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

func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			say(w, r, http.StatusMethodNotAllowed, "There is nothing here but to read.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	content, err := os.ReadFile(s.path(name))
	if err != nil {
		notThere(w, r)
		return
	}
	answer(w, r, http.StatusOK, contentTypes[path.Ext(name)], content)
}

func notThere(w http.ResponseWriter, r *http.Request) {
	say(w, r, http.StatusNotFound, "There is no such page.")
}

// notBuilt answers in place of a page whose scripts are missing: it says why, and which command makes them.
func notBuilt(w http.ResponseWriter, r *http.Request, why, command string) {
	answer(w, r, http.StatusServiceUnavailable, contentTypes[".html"], fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ranch: one step is missing</title>
<h1>One step is missing</h1>
<p>%s. Run <code>%s</code> in Ranch's working tree, then reload this page.</p>
</html>
`, why, command))
}

func say(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	answer(w, r, status, "text/plain; charset=utf-8", []byte(sentence+"\n"))
}

// answer sends the body. It compresses the body if that is worth it and the browser accepts it.
func answer(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	if len(body) > 1000 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var small bytes.Buffer
		compressed := gzip.NewWriter(&small)
		_, _ = compressed.Write(body) // writing to a buffer cannot fail
		_ = compressed.Close()
		w.Header().Set("Content-Encoding", "gzip")
		body = small.Bytes()
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the browser may be gone
}
