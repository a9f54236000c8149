package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/shared/client"
)

func TestFindAPI(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for named, want := range map[string]string{
		"": usualAPI, "https://api.example.com": "https://api.example.com", "http://localhost:3000/stage/": "http://localhost:3000/stage",
		"api.example.com": "", "localhost:3000": "", "ftp://example.com": "", "https://": "", "https://u:p@example.com": "", "http://a/?b": "", "http://a b": "",
	} {
		got, err := findAPI(named)
		if got != want || (err == nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), "API="+named+" is no base URL") {
			t.Errorf("API=%s: %s, %v; want %s", named, got, err, want)
		}
	}
	withdraw, err := running.Announce(root, running.Stack{API: "http://127.0.0.1:3210"})
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	for named, want := range map[string]string{"": "http://127.0.0.1:3210", "http://127.0.0.1:1": "http://127.0.0.1:1"} {
		if got, err := findAPI(named); got != want || err != nil {
			t.Errorf("API=%s beside a running stack: %s, %v", named, got, err)
		}
	}
}

// Before anything is sent that changes something, the service must be there; an error is one line that says what to do.
func TestCheckAPI(t *testing.T) {
	t.Parallel()
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		t.Fatal(err)
	}
	dead := fmt.Sprintf("http://127.0.0.1:%d", port)
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"the service":         {401, `{"error":"UNAUTHORIZED","message":"Authentication required"}`, ""},
		"another one":         {401, `{"error":"NO_KEY"}`, "does not do so as this service does (GET /events/season without a token: 401): start the service"},
		"a page":              {200, "<html>", "(GET /events/season without a token: 200)"},
		"a redirection":       {302, "", "(GET /events/season without a token: 302)"},
		"nothing but a proxy": {502, "", "nobody can play at "},
		"nothing":             {0, "", "nothing answers at " + dead + " (dial tcp"},
	} {
		api := dead
		if c.status != 0 {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != "GET" || r.URL.Path != "/events/season" || r.Header.Get("Authorization") != "" {
					t.Errorf("%s is asked for %s %s", name, r.Method, r.URL)
				}
				w.Header().Set("Location", "https://127.0.0.1:1/")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			api = server.URL
		}
		err := checkAPI(t.Context(), api)
		if c.want == "" && err == nil {
			continue
		}
		if text := fmt.Sprint(err); c.want == "" || !strings.Contains(text, c.want) || strings.Contains(text, "\n") || !strings.HasSuffix(text, "make tour API=https://...") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	show := func(id string, fee int64, closesIn time.Duration) client.ListedShow {
		return client.ListedShow{ID: id, EntryFee: fee, EntryClosesAt: now.Add(closesIn)}
	}
	for want, shows := range map[string][]client.ListedShow{
		"":     {},
		"last": {show("soon", 0, time.Hour), show("last", 500, 3*time.Hour), show("other", 10, 2*time.Hour)},
		"paid": {show("paid", 500, time.Hour), show("dear", 501, 2*time.Hour)},
		"open": {show("over", 0, -time.Second), show("now", 0, 0), show("open", 0, time.Second)},
	} {
		if got, found := choose(shows, 500, now); got.ID != want || found != (want != "") {
			t.Errorf("%s is chosen, not %s", got.ID, want)
		}
	}
}

func TestHowToMakeOne(t *testing.T) {
	t.Parallel()
	for api, local := range map[string]bool{
		"http://127.0.0.1:3000": true, "http://localhost:1": true, "https://[::1]": true, "https://api.example.com": false, "https://localhost.example.com": false,
	} {
		if got := howToMakeOne(api); strings.Contains(got, "go run ./infra/ranchctl show create") != local {
			t.Errorf("%s: %s", api, got)
		}
	}
}
