package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestStack_servesThePage: at an origin of its own, which the API lets read its answers, and to this machine's own
// names alone.
func TestStack_servesThePage(t *testing.T) {
	tree(t, buildNothing)
	cfg := ports(t)
	s, _ := openStack(t, cfg)
	page, api := fmt.Sprintf("http://127.0.0.1:%d", cfg.playPort), fmt.Sprintf("http://127.0.0.1:%d", cfg.port)
	if s.page.URL != page || s.announced.Play != page {
		t.Errorf("the page is at %s, and is announced at %q", s.page.URL, s.announced.Play)
	}
	for _, c := range []struct {
		address, host string
		status        int
		want          string
	}{
		{page + "/config.json", "", 200, `{"api":"` + api + `"}`},
		{page + "/openapi.yaml", "", 200, "openapi: 3.1"},
		{page + "/reference/start.js", "", 200, "SwaggerUIBundle"},
		{page + "/client/index.js", "", 200, "// the client"},
		{page + "/config.json", "evil.example", 403, "this machine's own names"},
		{api + "/config.json", "", 404, "Not Found"}, // the page is not the API's
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", c.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s of %q: %s %.200s, %v; want %d with %s", c.address, c.host, answer.Status, body, err, c.status, c.want)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), "OPTIONS", api+"/animals", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Origin": {page}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"}}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if allowed := answer.Header.Get("Access-Control-Allow-Origin"); allowed != "*" && allowed != page {
		t.Errorf("the API lets %q read its answers, not the page", allowed)
	}
}

func TestStack_servesNoPage(t *testing.T) {
	tree(t, buildNothing)
	cfg := ports(t)
	cfg.playPort = 0
	s, _ := openStack(t, cfg)
	if s.page != nil || s.announced.Play != "" {
		t.Errorf("a page is served: %+v, announced at %q", s.page, s.announced.Play)
	}
}

// TestStack_endsWithThePage: a stack without what it has promised is none.
func TestStack_endsWithThePage(t *testing.T) {
	tree(t, buildNothing)
	s, out := openStack(t, ports(t))
	s.page.Close()
	if err := s.wait(t.Context(), out); err == nil || !strings.Contains(err.Error(), "the game is served no more") {
		t.Errorf("it ends with %v", err)
	}
}
