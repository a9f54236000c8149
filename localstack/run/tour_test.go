package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// need skips a test for want of a tool, which in CI is a failure.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip("NOT TESTED: ", err)
		}
	}
}

// playTour runs the tour in a shell and returns what it prints.
func playTour(t *testing.T, api string) string {
	t.Helper()
	need(t, "sh", "curl", "node")
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", "TOKEN=\n"+tour(api)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// standIn is an API that only says what the tour needs to go on, and notes what it is asked.
func standIn(t *testing.T, shows string) (api string, requests *[]string) {
	t.Helper()
	requests = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := "without"
		if r.Header.Get("Authorization") == "Bearer t-1" {
			token = "with"
		}
		body, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/auth/") {
			body = nil // has a random name
		}
		*requests = append(*requests, strings.TrimSpace(fmt.Sprintf("%s %s %s token %s", r.Method, r.URL, token, body)))
		switch r.URL.Path {
		case "/auth/login":
			fmt.Fprint(w, `{"token":"t-1"}`)
		case "/animals":
			fmt.Fprint(w, `[{"id":"a-1"},{"id":"a-2"}]`)
		case "/events/shows":
			fmt.Fprint(w, shows)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func TestTour(t *testing.T) {
	first := []string{
		"POST /auth/register without token",
		"POST /auth/login without token",
		"GET /animals with token",
		"GET /events/shows with token",
		"GET /animals with token",
		"GET /events/shows?tier=rookie with token",
	}
	last := "GET /events/season with token"
	for name, c := range map[string]struct {
		shows string
		want  []string
		says  bool
	}{
		"two shows": {`[{"id":"s-1"},{"id":"s-2"}]`, []string{
			`POST /events/shows/s-2/enter with token {"animalId":"a-1"}`,
			"POST /events/shows/s-2/judge with token",
			"POST /events/shows/s-2/claim-reward with token",
			"GET /events/shows/s-2 with token",
		}, false},
		"no show": {`[]`, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			api, got := standIn(t, c.shows)
			printed := playTour(t, api)
			if diff := cmp.Diff(slices.Concat(first, c.want, []string{last}), *got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if says := strings.Contains(printed, "go run ./infra/ranchctl show create --name Encore --tier rookie"); says != c.says {
				t.Errorf("it prints:\n%s", printed)
			}
		})
	}
}

// TestTour_isTheREADMEs compares the commands with those in the README, which has them for the usual port.
func TestTour_isTheREADMEs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(loadTemplate(t).Root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## A tour\n")
	_, rest, begun := strings.Cut(rest, "\n```sh\n")
	commands, _, ended := strings.Cut(rest, "```\n")
	if !found || !begun || !ended {
		t.Fatal("the README has no tour")
	}
	if diff := cmp.Diff(tour("http://127.0.0.1:3000"), commands); diff != "" {
		t.Errorf("the README's tour (-printed +README):\n%s", diff)
	}
}

func TestWelcome_endsWithReady(t *testing.T) {
	text := welcome("http://127.0.0.1:3000", "http://127.0.0.1:8000")
	if !strings.HasSuffix(text, "\nReady: http://127.0.0.1:3000\n") || !strings.Contains(text, "http://127.0.0.1:8000") {
		t.Errorf("the welcome is:\n%s", text)
	}
}
