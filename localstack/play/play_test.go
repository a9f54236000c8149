package play

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes a working tree with these files and returns its root.
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
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

const pageHTML = `<!doctype html><link rel="icon" href="icon.svg"><link rel="stylesheet" href="style/page.css"><script src="theme.js"></script><script type="module" src="app.js"></script>`

var small = map[string]string{
	"localstack/play/web/index.html":         pageHTML,
	"localstack/play/web/app.js":             `import { game } from "./game.js"; import { client } from "./client/index.js"; console.log(game, client);`,
	"localstack/play/web/game.js":            `export const game = "the game";`,
	"localstack/play/web/theme.js":           `console.log("the theme");`,
	"localstack/play/web/style/page.css":     `@import "base.css";`,
	"localstack/play/web/style/base.css":     "p { color: red }",
	"localstack/play/web/icon.svg":           "<svg/>",
	"localstack/play/web/README.md":          "for people who write it",
	"localstack/play/play.go":                "a program",
	"shared/client/typescript/dist/index.js": `export const client = "the client"; export const unused = "the rest";`,
	"shared/client/typescript/package.json":  "{}",
	"docs/openapi.yaml":                      "openapi: 3.1.0" + strings.Repeat("\n# and so on", 200),
	referenceFiles[""]:                       "<!doctype html>the API",
	referenceFiles["swagger-ui-bundle.js"]:   "Swagger UI",
	"localstack/play/reference/package.json": "{}",
	"docs/secret.yaml":                       "not to be served",
}

// ask sends a request with exactly this path. An HTTP client would normalise the path.
func ask(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:3001/", nil)
	r.URL.Path = path
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder
}

var assetForm = regexp.MustCompile(`"(assets/(\w+)-[0-9A-Z]{8}\.(\w+))"`)

// assetsOf gets the page and returns the paths of its bundled files, by the files' names without the hash.
func assetsOf(t *testing.T, handler http.Handler) map[string]string {
	t.Helper()
	page := ask(handler, "GET", "/")
	require.True(t, page.Code == http.StatusOK && page.Header().Get("Link") == "<http://127.0.0.1:3000>; rel=preconnect; crossorigin",
		"%d %s %v", page.Code, page.Body, page.Header())
	found := map[string]string{}
	for _, m := range assetForm.FindAllStringSubmatch(page.Body.String(), -1) {
		found[m[2]+"."+m[3]] = "/" + m[1]
	}
	return found
}

// Write makes the same page for a static host.
func TestWrite(t *testing.T) {
	root, folder := tree(t, small), filepath.Join(t.TempDir(), "page")
	write(t, filepath.Join(folder, "assets/app-OLD.js"), "an older page")
	require.NoError(t, Write(root, folder, "https://api.example.com"))
	handler := Handler(Config{Root: root, API: "http://127.0.0.1:3000"})
	for _, name := range append(slices.Collect(maps.Values(assetsOf(t, handler))), "/index.html") {
		content, err := os.ReadFile(filepath.Join(folder, name))
		assert.True(t, err == nil && string(content) == ask(handler, "GET", name).Body.String(), "%s: %q, %v", name, content, err)
	}
	config, err := os.ReadFile(filepath.Join(folder, "config.json"))
	assert.True(t, err == nil && string(config) == `{"api":"https://api.example.com"}`, "%s, %v", config, err)
	old, err := filepath.Glob(filepath.Join(folder, "assets/*OLD*"))
	assert.True(t, err == nil && len(old) == 0, "what was there still is: %v, %v", old, err)
	err = Write(t.TempDir(), folder, "")
	assert.ErrorIs(t, err, ErrNoClient, "without the client: %v", err)
}

// Handler has no answer for files of the working tree that are not part of the page.
func TestHandler_servesNothingElse(t *testing.T) {
	handler := Handler(Config{Root: tree(t, small), API: "http://127.0.0.1:3000"})
	assetsOf(t, handler)
	for _, path := range []string{
		"/nowhere.js", "/INDEX.HTML", "/app.js", "/style/page.css", "/assets/", "/assets/app.js", "/README.md", "/play.go", "/client/index.js",
		`/..\..\play.go`, "/index.html\x00", "/index.html/", "/config.json/", "/reference/nowhere", "/reference/package.json",
		"/referenced/", "/openapi.yaml/", "/secret.yaml", "/%2e%2e/play.go",
	} {
		got := ask(handler, "GET", path)
		assert.Equal(t, http.StatusNotFound, got.Code, "%q: %q", path, got.Body)
	}
	for path, clean := range map[string]string{"/../play.go": "/play.go", "/../../../docs/secret.yaml": "/docs/secret.yaml", "/reference/../index.html": "/index.html"} {
		got := ask(handler, "GET", path)
		assert.True(t, got.Code/100 == 3 && got.Header().Get("Location") == clean, "%q: %d %v", path, got.Code, got.Header())
	}
}

// Handler refuses other methods than GET and HEAD, and requests whose host is not a name of this machine. So a web page
// whose own host name points to this machine gets a 403 (ADR 10; package loopback tests the names).
func TestHandler_headersOfEveryAnswer(t *testing.T) {
	handler := Handler(Config{Root: tree(t, small)})
	foreign := httptest.NewRequest("GET", "http://evil.example/", nil)
	refused := httptest.NewRecorder()
	handler.ServeHTTP(refused, foreign)
	for status, got := range map[int]*httptest.ResponseRecorder{
		200: ask(handler, "GET", "/"), 404: ask(handler, "GET", "/nowhere"), 405: ask(handler, "POST", "/config.json"), 403: refused,
	} {
		assert.Equal(t, status, got.Code)
		for header, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "no-store",
		} {
			if got.Header().Get(header) != want {
				t.Errorf("%d: %s is %q", status, header, got.Header().Get(header))
			}
		}
		for header := range got.Header() {
			assert.False(t, strings.HasPrefix(header, "Access-Control-"), "%d may be read elsewhere: %s", status, header)
		}
	}
}

// If the page's scripts are missing, the answer names the command that makes them.
func TestHandler_saysWhatIsNotBuilt(t *testing.T) {
	root := tree(t, small)
	handler := Handler(Config{Root: root})
	for _, page := range []struct{ path, script, command string }{
		{"/", clientFolder + "/index.js", "make client"},
		{"/reference/", referenceFiles["swagger-ui-bundle.js"], "make reference"},
	} {
		script := filepath.Join(root, page.script)
		require.NoError(t, os.Remove(script))
		got := ask(handler, "GET", page.path)
		assert.True(t, got.Code == http.StatusServiceUnavailable && strings.Contains(got.Body.String(), page.command),
			"%s without %s: %d %s", page.path, page.script, got.Code, got.Body)
		write(t, script, small[page.script])
		got = ask(handler, "GET", page.path)
		assert.Equal(t, http.StatusOK, got.Code, "%s once it is built: %d %s", page.path, got.Code, got.Body)
	}
}

// TestPage_policy checks that index.html states its policy before it loads anything. This policy lacks only the rule on
// frames, which browsers accept only in a header.
func TestPage_policy(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("web", "index.html"))
	require.NoError(t, err)
	const framed = "; frame-ancestors 'none'"
	said := `<meta http-equiv="Content-Security-Policy" content="` + strings.TrimSuffix(policy, framed) + `">`
	before, after, found := strings.Cut(string(page), said)
	assert.True(t, found && strings.HasSuffix(policy, framed) && !strings.Contains(after, "Content-Security-Policy"),
		"the page does not say %s once", said)
	for _, loads := range []string{"<link", "<script"} {
		assert.True(t, !strings.Contains(before, loads) && strings.Contains(after, loads),
			"the policy does not stand before the first %s", loads)
	}
}
