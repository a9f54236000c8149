package main

import (
	"io"
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
		if got, err := findAPI(named); got != want || err != nil {
			t.Errorf("API=%s: %s, %v; want %s", named, got, err, want)
		}
	}
	find("", usualAPI)
	find("http://localhost:3000/stage/", "http://localhost:3000/stage")
	withdraw, err := running.Announce(root, running.Stack{API: "http://127.0.0.1:3210"})
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	find("", "http://127.0.0.1:3210")
	find("http://127.0.0.1:1", "http://127.0.0.1:1")
}

// TestExplain checks that the tour says what to do if the service is missing. A refusal of the service stays as it is.
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

func TestChoose(t *testing.T) {
	t.Parallel()
	shows := []client.ListedShow{{ID: "soon", EntryFee: 0}, {ID: "last", EntryFee: 500}, {ID: "dear", EntryFee: 501}}
	if got, found := choose(shows, 500); got.ID != "last" || !found {
		t.Errorf("%s is chosen", got.ID)
	}
	if got, found := choose(shows[2:], 500); found {
		t.Errorf("%s is chosen", got.ID)
	}
}

// The tour's output has no secret of a session and no control character.
func TestExchange(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tour := &tour{out: &out}
	tour.exchange(client.Exchange{
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
	tour.exchange(client.Exchange{Request: client.Request{Method: "GET", Path: "/x"}, Answer: client.Answer{Status: 502, Body: []byte("<b>\x1b[2J\nbad")}})
	if want := "GET /x: 502 in 0 ms\n" + `< <b>\x1b[2J\nbad` + "\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
}
