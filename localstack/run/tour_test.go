package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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

// play runs the tour in a shell and returns what it prints.
func play(t *testing.T, api string) string {
	t.Helper()
	need(t, "sh", "curl", "node")
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", "TOKEN=\n"+tour(api)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// TestTour plays the tour against an API that only says what the tour needs to go on.
func TestTour(t *testing.T) {
	var got []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := "without"
		if r.Header.Get("Authorization") == "Bearer t-1" {
			token = "with"
		}
		body, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/auth/") {
			body = nil // has a random name
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s token %s", r.Method, r.URL, token, body)))
		switch r.URL.Path {
		case "/auth/login":
			fmt.Fprint(w, `{"token":"t-1"}`)
		case "/animals":
			fmt.Fprint(w, `[{"id":"a-1"},{"id":"a-2"}]`)
		case "/events/shows":
			fmt.Fprint(w, `[{"id":"s-1"},{"id":"s-2"}]`)
		}
	}))
	defer api.Close()
	play(t, api.URL)
	want := []string{
		"POST /auth/register without token",
		"POST /auth/login without token",
		"GET /animals with token",
		"GET /events/shows with token",
		"GET /animals with token",
		"GET /events/shows?tier=rookie with token",
		`POST /events/shows/s-2/enter with token {"animalId":"a-1"}`,
		"POST /events/shows/s-2/judge with token",
		"POST /events/shows/s-2/claim-reward with token",
		"GET /events/shows/s-2 with token",
		"GET /events/season with token",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestWelcome_endsWithReady(t *testing.T) {
	text := welcome("http://127.0.0.1:3000", "http://127.0.0.1:8000")
	if !strings.HasSuffix(text, "\nReady: http://127.0.0.1:3000\n") || !strings.Contains(text, "http://127.0.0.1:8000") {
		t.Errorf("the welcome is:\n%s", text)
	}
}
