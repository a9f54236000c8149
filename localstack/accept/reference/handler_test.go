package reference

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

const contractFile = "../../../docs/openapi.yaml"

func read(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHandler(t *testing.T) {
	t.Parallel()
	contract := read(t)
	h, err := Handler(contract, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, mediaType string
		status          int
		has             string
	}{
		{"/", "text/html; charset=utf-8", http.StatusOK, "<h1>"},
		{"/style.css", "text/css; charset=utf-8", http.StatusOK, "body"},
		{"/openapi.yaml", "application/yaml", http.StatusOK, string(contract)},
		{"/page.html", "text/plain; charset=utf-8", http.StatusNotFound, ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		if w.Code != c.status || w.Header().Get("Content-Type") != c.mediaType || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Header())
		}
		if c.status == http.StatusOK && w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("%s is served without the policy: %s", c.path, w.Header())
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}
