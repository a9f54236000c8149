package play

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tree makes a working tree with the files, by their paths, and returns its root.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(root, name), content)
	}
	return root
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

var small = map[string]string{
	"localstack/play/web/index.html":          "<!doctype html>the page",
	"localstack/play/web/game.js":             "the game",
	"localstack/play/web/views/board.js":      "the board",
	"localstack/play/web/ranch.css":           "the style",
	"localstack/play/web/horse.svg":           "<svg/>",
	"localstack/play/web/README.md":           "for people who write it",
	"localstack/play/web/.hidden":             "hidden",
	"localstack/play/play.go":                 "a program",
	"shared/client/typescript/dist/index.js":  "the client",
	"shared/client/typescript/dist/index.map": "{}",
	"shared/client/typescript/package.json":   "{}",
	"docs/openapi.yaml":                       "openapi: 3.1.0",
	referenceFiles[""]:                        "<!doctype html>the API",
	referenceFiles["swagger-ui-bundle.js"]:    "Swagger UI",
	"localstack/play/reference/package.json":  "{}",
	"docs/secret.yaml":                        "not to be served",
}

// ask sends a request with a path as it is written, which a client would tidy up.
func ask(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:3001/", nil)
	r.URL.Path = path
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder
}

func TestHandler_serves(t *testing.T) {
	handler := Handler(Config{Root: tree(t, small), API: "http://127.0.0.1:3000"})
	for path, want := range map[string]struct{ contentType, body string }{
		"/":                               {"text/html; charset=utf-8", "<!doctype html>the page"},
		"/index.html":                     {"text/html; charset=utf-8", "<!doctype html>the page"},
		"/game.js":                        {"text/javascript; charset=utf-8", "the game"},
		"/views/board.js":                 {"text/javascript; charset=utf-8", "the board"},
		"/ranch.css":                      {"text/css; charset=utf-8", "the style"},
		"/horse.svg":                      {"image/svg+xml", "<svg/>"},
		"/client/index.js":                {"text/javascript; charset=utf-8", "the client"},
		"/openapi.yaml":                   {"application/yaml", "openapi: 3.1.0"},
		"/reference/":                     {"text/html; charset=utf-8", "<!doctype html>the API"},
		"/reference/swagger-ui-bundle.js": {"text/javascript; charset=utf-8", "Swagger UI"},
		"/config.json":                    {"application/json", `{"api":"http://127.0.0.1:3000","links":true}`},
	} {
		got := ask(handler, "GET", path)
		if got.Code != http.StatusOK || got.Body.String() != want.body || got.Header().Get("Content-Type") != want.contentType {
			t.Errorf("%s: %d %q of type %s, not %q of type %s", path, got.Code, got.Body, got.Header().Get("Content-Type"), want.body, want.contentType)
		}
	}
}

// What is no file of the page or of the client is not there, and nobody is sent elsewhere to look for it.
func TestHandler_servesNothingElse(t *testing.T) {
	root := tree(t, small)
	web := filepath.Join(root, "localstack", "play", "web")
	write(t, filepath.Join(root, "outside.js"), "outside")
	for link, target := range map[string]string{"link.js": filepath.Join(root, "outside.js"), "link": root, "folder.js": filepath.Join(web, "views")} {
		if err := os.Symlink(target, filepath.Join(web, link)); err != nil {
			t.Fatal(err)
		}
	}
	handler := Handler(Config{Root: root})
	for _, path := range []string{
		"//", "/.", "/..", "/index", "/nowhere.js", "/INDEX.HTML", "/views", "/views/", "/views//board.js", "/views/../index.html", "/./index.html", "//index.html",
		"/README.md", "/.hidden", "/../play.go", "/../../../docs/secret.yaml", "/client", "/client/", "/client/../package.json", "/client//index.js", "/client/nowhere.js",
		"/link.js", "/link/outside.js", "/folder.js", `/..\..\play.go`, `/views\board.js`, "/index.html\x00", "/\x00.js", "/index.html/", "/config.json/", "/reference/nowhere", "/reference/package.json", "/reference/page.css", "/reference/../index.html", "/reference//", "/reference/./", "/referenced/", "/openapi.yaml/", "/secret.yaml", "/%2e%2e/play.go",
	} {
		got := ask(handler, "GET", path)
		if got.Code != http.StatusNotFound || got.Header().Get("Location") != "" || !strings.Contains(got.Body.String(), "page") {
			t.Errorf("%q: %d %q", path, got.Code, got.Body)
		}
	}
}

func TestHandler_headersOfEveryAnswer(t *testing.T) {
	handler := Handler(Config{Root: tree(t, small)})
	foreign := httptest.NewRequest("GET", "http://evil.example/", nil)
	refused := httptest.NewRecorder()
	handler.ServeHTTP(refused, foreign)
	for name, got := range map[string]*httptest.ResponseRecorder{
		"the page": ask(handler, "GET", "/"), "a script": ask(handler, "GET", "/client/index.js"), "nothing": ask(handler, "GET", "/nowhere"),
		"a method": ask(handler, "POST", "/"), "a foreign host": refused,
	} {
		for header, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-store",
		} {
			if got.Header().Get(header) != want {
				t.Errorf("%s: %s is %q", name, header, got.Header().Get(header))
			}
		}
		for header := range got.Header() {
			if strings.HasPrefix(header, "Access-Control-") {
				t.Errorf("%s may be read elsewhere: %s", name, header)
			}
		}
	}
}

// Requests read, and name this machine: a page that has its own name point here gets nothing (ADR 10).
func TestHandler_refuses(t *testing.T) {
	handler := Handler(Config{Root: tree(t, small), API: "http://127.0.0.1:3000"})
	for _, path := range []string{"/", "/config.json", "/openapi.yaml", "/client/index.js"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if got := ask(handler, method, path); got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, Allow %q", method, path, got.Code, got.Header().Get("Allow"))
			}
		}
		for host, want := range map[string]int{
			"localhost:3001": 200, "127.0.0.1:3001": 200, "[::1]:3001": 200, "evil.example": 403, "evil.example:3001": 403, "localhost.evil.example:3001": 403, "192.168.0.7:3001": 403,
		} {
			r, recorder := httptest.NewRequest("GET", "http://127.0.0.1:3001"+path, nil), httptest.NewRecorder()
			r.Host = host
			if handler.ServeHTTP(recorder, r); recorder.Code != want {
				t.Errorf("%s of %s: %d", path, host, recorder.Code)
			}
		}
	}
}

// A page whose scripts are missing says which command makes them.
func TestHandler_saysWhatIsNotBuilt(t *testing.T) {
	root := tree(t, small)
	handler := Handler(Config{Root: root})
	for _, page := range []struct{ path, script, command string }{
		{"/", clientFolder + "/index.js", "make client"},
		{"/reference/", referenceFiles["swagger-ui-bundle.js"], "make reference"},
	} {
		script := filepath.Join(root, page.script)
		if err := os.Remove(script); err != nil {
			t.Fatal(err)
		}
		if got := ask(handler, "GET", page.path); got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "<code>"+page.command+"</code>") {
			t.Errorf("%s without %s: %d %s", page.path, page.script, got.Code, got.Body)
		}
		write(t, script, "a script")
		if got := ask(handler, "GET", page.path); got.Code != http.StatusOK {
			t.Errorf("%s once it is built: %d %s", page.path, got.Code, got.Body)
		}
	}
}

// TestServe asks over a connection, before and after a file is changed.
func TestServe(t *testing.T) {
	root := tree(t, small)
	page, err := Serve(t.Context(), Config{Root: root, API: "http://127.0.0.1:3000"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	port, err := strconv.Atoi(page.URL[strings.LastIndex(page.URL, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(t.Context(), Config{Root: root}, port); err == nil || !strings.Contains(err.Error(), "serving the game: ") {
		t.Errorf("a second one at its port: %v", err)
	}
	for _, want := range []string{"the game", "another game"} {
		write(t, filepath.Join(root, "localstack", "play", "web", "game.js"), want)
		status, body := get(t, page.URL+"/game.js")
		if status != http.StatusOK || body != want {
			t.Errorf("%d %q, not %q", status, body, want)
		}
	}
	for _, path := range []string{"/%2e%2e/play.go", "/..%2fplay.go", "/client/..%2f..%2f..%2fclient.go", "/%2e%2e%2f%2e%2e%2f%2e%2e%2fdocs/secret.yaml"} {
		if status, body := get(t, page.URL+path); status != http.StatusNotFound {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	if response, err := http.Head(page.URL + "/game.js"); err != nil || response.StatusCode != http.StatusOK || response.ContentLength != int64(len("another game")) {
		t.Errorf("HEAD: %v, %v", response, err)
	}
	page.Close()
	if err := <-page.Failed(); err == nil || !strings.Contains(err.Error(), "the game is served no more") {
		t.Errorf("after its end: %v", err)
	}
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// TestPage_policy: the page says its policy itself, before it loads anything. Only a header can say who may frame it.
func TestPage_policy(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("web", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	const framed = "; frame-ancestors 'none'"
	said := `<meta http-equiv="Content-Security-Policy" content="` + strings.TrimSuffix(policy, framed) + `">`
	before, after, found := strings.Cut(string(page), said)
	if !found || !strings.HasSuffix(policy, framed) || strings.Contains(after, "Content-Security-Policy") {
		t.Errorf("the page does not say %s once", said)
	}
	for _, loads := range []string{"<link", "<script"} {
		if strings.Contains(before, loads) || !strings.Contains(after, loads) {
			t.Errorf("the policy does not stand before the first %s", loads)
		}
	}
}
