// Package play serves the reference game on an origin of its own, as a game's pages are served elsewhere than its API:
// so that CORS is real. It serves the working tree as it is at each request: a page that is changed needs a reload, and
// no build.
//
// The page is made of files of its own origin alone, and its policy (CSP) says so: no script, no style and no picture
// of elsewhere, and nothing that stands in the page itself, so that a name with markup in it stays a name. What it may
// talk to is any API (?api=).
package play

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Folders and files of the working tree that are served.
const (
	pageFolder   = "localstack/play/web"
	clientFolder = "shared/client/typescript/dist" // the built client (make client)
	contract     = "docs/openapi.yaml"
)

// referenceFiles are the files of the API's page by their names below /reference/: ours, and those of Swagger UI, which
// make installs (docs/adr/0023-the-reference-page.md).
var referenceFiles = map[string]string{
	"":                     "localstack/play/reference/index.html",
	"start.js":             "localstack/play/reference/start.js",
	"page.css":             "localstack/play/reference/page.css",
	"swagger-ui-bundle.js": "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui-bundle.js",
	"swagger-ui.css":       "localstack/play/reference/node_modules/swagger-ui-dist/swagger-ui.css",
}

// Config says what is served.
type Config struct {
	Root string // of the working tree
	API  string // base URL of the API that the page plays with
}

// policy is what the page may load: its own files, and answers of any API. Nothing may frame it. The page says the same
// itself (index.html), for hosts that send no headers.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src *; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes are those of all files that are served, by the ends of their names: a file of another kind is not there.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".map":  "application/json", // of a script, for a debugger
	".json": "application/json",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".ico":  "image/x-icon",
	".yaml": "application/yaml",
}

// Handler serves the page at /, the built client at /client/, the contract at /openapi.yaml, the page that shows and
// tries the API at /reference/, and the API's address at /config.json. It answers only requests for this machine's own
// names, as the API does (ADR 10).
func Handler(cfg Config) http.Handler {
	return strict(loopback.RequireHost(readOnly(http.HandlerFunc(cfg.serve))))
}

func (c Config) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	ofClient, isOfClient := strings.CutPrefix(name, "client/")
	ofReference, isOfReference := strings.CutPrefix(name, "reference/")
	switch {
	case name == "":
		if _, err := os.Stat(filepath.Join(c.folder(clientFolder), "index.js")); err != nil {
			notBuilt(w, "The game needs the TypeScript client, which is not built yet", "make client")
			return
		}
		serveFile(w, c.folder(pageFolder), "index.html")
	case name == "config.json":
		body, err := json.Marshal(map[string]any{"api": c.API, "links": true}) // it serves who develops the game
		if err != nil {
			say(w, http.StatusInternalServerError, err.Error())
			return
		}
		answer(w, http.StatusOK, contentTypes[".json"], body)
	case name == "openapi.yaml":
		serveFile(w, c.folder(path.Dir(contract)), path.Base(contract))
	case name == "reference":
		http.Redirect(w, r, "/reference/", http.StatusFound)
	case isOfReference:
		c.serveReference(w, ofReference)
	case isOfClient:
		serveFile(w, c.folder(clientFolder), ofClient)
	default:
		serveFile(w, c.folder(pageFolder), name)
	}
}

// serveReference answers with a file of the API's page.
func (c Config) serveReference(w http.ResponseWriter, name string) {
	file, known := referenceFiles[name]
	if !known {
		notThere(w)
		return
	}
	if _, err := os.Stat(c.folder(referenceFiles["swagger-ui-bundle.js"])); name == "" && err != nil {
		notBuilt(w, "The page of the API needs Swagger UI, which is not installed yet", "make reference")
		return
	}
	serveFile(w, c.folder(path.Dir(file)), path.Base(file))
}

func (c Config) folder(name string) string { return filepath.Join(c.Root, filepath.FromSlash(name)) }

// strict sets the headers that all answers have. Nothing is kept by a browser: what is served changes under it.
func strict(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-store",
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
			say(w, http.StatusMethodNotAllowed, "There is nothing here but to read.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveFile answers with a file of a folder. The name is a path below it: what leads out of it, also by a link, is not
// there, and neither is a folder.
func serveFile(w http.ResponseWriter, folder, name string) {
	contentType, known := contentTypes[path.Ext(name)]
	if known && fs.ValidPath(name) {
		if content, err := readBelow(folder, name); err == nil {
			answer(w, http.StatusOK, contentType, content)
			return
		}
	}
	notThere(w)
}

func notThere(w http.ResponseWriter) { say(w, http.StatusNotFound, "There is no such page.") }

func readBelow(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(filepath.FromSlash(name))
}

// notBuilt stands in for a page whose scripts are missing: it says why, and the command that makes them.
func notBuilt(w http.ResponseWriter, why, command string) {
	answer(w, http.StatusServiceUnavailable, contentTypes[".html"], fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ranch: one step is missing</title>
<h1>One step is missing</h1>
<p>%s. Run <code>%s</code> in Ranch's working tree, then reload this page.</p>
</html>
`, why, command))
}

func say(w http.ResponseWriter, status int, sentence string) {
	answer(w, status, "text/plain; charset=utf-8", []byte(sentence+"\n"))
}

func answer(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever has asked may be gone
}
