package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/shared/client"
)

func TestFindAPI(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	find := func(named, want string) {
		t.Helper()
		if got, err := findAPI(named); got != want || err != nil && !strings.HasPrefix(err.Error(), "API="+named+" is no base URL") {
			t.Errorf("API=%s: %s, %v; want %s", named, got, err, want)
		}
	}
	for named, want := range map[string]string{
		"": usualAPI, "https://api.example.com": "https://api.example.com", "http://localhost:3000/stage/": "http://localhost:3000/stage",
		"api.example.com": "", "localhost:3000": "", "ftp://example.com": "", "https://": "", "https://u:p@example.com": "", "http://a/?b": "", "http://a b": "",
	} {
		find(named, want)
	}
	withdraw, err := running.Announce(root, running.Stack{API: "http://127.0.0.1:3210"})
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	find("", "http://127.0.0.1:3210")
	find("http://127.0.0.1:1", "http://127.0.0.1:1")
}

// Before it changes anything, the tour makes sure that the service is there. An error is one line that says what to do.
func TestCheckAPI(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"the service": {401, `{"error":"UNAUTHORIZED","message":"Authentication required"}`, ""},
		"another one": {401, `{"error":"NO_KEY"}`, "does not answer as this service does (GET /events/season without a token: 401): start the service"},
		"a page":      {200, "<html>", "(GET /events/season without a token: 200)"},
		"a busy one":  {503, `{"error":"SERVICE_UNAVAILABLE","message":"Try again"}`, "wait a little"},
		"nothing":     {0, "", "nothing answers at "},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		err := checkAPI(t.Context(), server.URL)
		server.Close()
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "make tour API=https://...")) {
			t.Errorf("%s: %v, without %q", name, err, c.want)
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

// Nothing that the tour prints gives a session away or has control characters.
func TestExchange(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	printer{out: &out}.exchange(client.Exchange{
		Request: client.Request{Method: "POST", Path: "/x", Token: "secret", Body: map[string]string{"password": `a "secret`, "ranch": "R, \x1b[2J"}},
		Answer:  client.Answer{Status: 201, Body: []byte(`[{"token":"eyJhbG` + strings.Repeat("secret", 20) + `","gold":500},{"list":[1.50,null]}]`)},
		Took:    83900 * time.Microsecond,
	})
	want := "POST /x, with the access token: 201 in 83 ms\n" + `> {"password": "…", "ranch": "R, \u001b[2J"}` + "\n" +
		`< {"token": "eyJhbG…", "gold": 500}` + "\n" + `< {"list": [1.50, null]}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	printer{&out, true}.exchange(client.Exchange{Request: client.Request{Method: "GET", Path: "/x"}, Answer: client.Answer{Status: 502, Body: []byte("<b>\x1b[2J\nbad")}})
	if want := red + "GET /x: 502 in 0 ms\x1b[0m\n" + `< <b>\x1b[2J\nbad` + "\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
}
