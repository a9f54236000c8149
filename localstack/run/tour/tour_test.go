package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestExplain checks that without the service, the tour ends with a line that says what to do. It does not change a
// refusal of the service.
func TestExplain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		advice bool
	}{
		"another service": {201, "<html>", true},
		"a page":          {404, "<html>", true},
		"a busy one":      {503, `{"error":"SERVICE_UNAVAILABLE","message":"Try again"}`, true},
		"nothing":         {0, "", true},
		"a refusal":       {409, `{"error":"DUPLICATE","message":"No"}`, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		tour := &tour{api: server.URL, out: io.Discard}
		tour.play(t.Context())
		server.Close()
		if tour.err == nil {
			t.Fatal(name)
		}
		text := explain(tour.err, server.URL).Error()
		if strings.HasSuffix(text, "make tour API=https://api.example.com") != c.advice || !strings.Contains(text, tour.err.Error()) || strings.Contains(text, "\n") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
