package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		name      string
		functions []FunctionConfig
		want      string
	}{
		{"a relative path", []FunctionConfig{functionAt("A", "GET", "a")}, "function A: the path"},
		{"a greedy path", []FunctionConfig{functionAt("A", "GET", "/{all+}")}, "function A: routes of any"},
		{"any method", []FunctionConfig{functionAt("A", "ANY", "/a")}, "function A: routes of any"},
		{"one route twice", []FunctionConfig{functionAt("A", "GET", "/a/{b}/c"), functionAt("B", "GET", "/a/{x}/c")}, "functions A and B"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := New(Config{Functions: test.functions}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	distinct := []FunctionConfig{functionAt("A", "GET", "/a/{b}"), functionAt("B", "POST", "/a/{b}"), functionAt("C", "GET", "/a/b"), functionAt("D", "GET", "/a")}
	if _, err := New(Config{Functions: distinct}); err != nil {
		t.Error(err)
	}
}

func TestOnlyBetweenStartAndClose(t *testing.T) {
	g, err := New(Config{Functions: []FunctionConfig{functionAt("Do", "POST", "/do")}})
	if err != nil {
		t.Fatal(err)
	}
	get := func() answer {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/do", strings.NewReader("{}"))
		g.ServeHTTP(recorder, request)
		return answer{status: recorder.Code, body: recorder.Body.String()}
	}
	get().want(t, 503, unavailable)
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := get(); a.status != 200 {
		t.Errorf("%d %s while it runs", a.status, a.body)
	}
	if err := g.Start(t.Context()); err == nil {
		t.Error("it starts twice")
	}
	for range 2 {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	get().want(t, 503, unavailable)
}

func TestRoutes(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{
		functionAt("List", "GET", "/shows"), functionAt("Get", "GET", "/shows/{id}"), functionAt("Season", "GET", "/shows/season"),
		functionAt("Enter", "POST", "/shows/{id}/enter"), functionAt("Judge", "POST", "/shows/first/{action}"),
	}})
	for _, test := range []struct{ method, path, key, parameters string }{
		{"GET", "/shows", "GET /shows", "null"},
		{"GET", "/shows/1", "GET /shows/{id}", `{"id":"1"}`},
		{"GET", "/shows/season", "GET /shows/season", "null"},
		{"GET", "/shows/a%20b%2Bc", "GET /shows/{id}", `{"id":"a b+c"}`},
		{"GET", "/shows/..", "GET /shows/{id}", `{"id":".."}`},
		{"POST", "/shows/1/enter", "POST /shows/{id}/enter", `{"id":"1"}`},
		{"POST", "/shows/first/enter", "POST /shows/first/{action}", `{"action":"enter"}`},
		{"HEAD", "/shows", "", ""},
		{"POST", "/shows", "", ""},
		{"OPTIONS", "/shows", "", ""},
		{"GET", "/shows/", "", ""},
		{"GET", "//shows", "", ""},
		{"GET", "/Shows", "", ""},
		{"GET", "/shows/1/", "", ""},
		{"GET", "/shows/../shows", "", ""},
		{"POST", "/shows//enter", "", ""},
		{"GET", "/", "", ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			a := s.send(test.method, test.path, "")
			if test.key == "" {
				body := notFound
				if test.method == "HEAD" {
					body = ""
				}
				a.want(t, 404, body)
				return
			}
			var event struct {
				RouteKey       string
				PathParameters json.RawMessage
			}
			event.PathParameters = json.RawMessage("null")
			if err := json.Unmarshal([]byte(a.body), &event); err != nil {
				t.Fatalf("%d %s: %v", a.status, a.body, err)
			}
			if event.RouteKey != test.key || string(event.PathParameters) != test.parameters {
				t.Errorf("route %s with %s, want %s with %s", event.RouteKey, event.PathParameters, test.key, test.parameters)
			}
		})
	}
}

func TestRequestTooLarge(t *testing.T) {
	s := serveOne(t)
	const tooLarge = `{"message":"Request Entity Too Large"}`
	body := bytes.Repeat([]byte("x"), maxBody+1)
	for name, r := range map[string]io.Reader{"with its length": bytes.NewReader(body), "in chunks": io.MultiReader(bytes.NewReader(body))} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/do", r)
		s.ServeHTTP(recorder, request)
		if recorder.Code != 413 || recorder.Body.String() != tooLarge {
			t.Errorf("%s: %d %.100s", name, recorder.Code, recorder.Body)
		}
	}
	s.do("instance", string(body[:maxBody])).instance(t)
	s.send("POST", "/nowhere", "").want(t, 404, notFound)
}

func TestServerTimeoutsFitTheIntegration(t *testing.T) {
	g, err := New(Config{IntegrationTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	server := g.Server()
	for name, timeout := range map[string]time.Duration{"write": server.WriteTimeout, "read": server.ReadTimeout} {
		if timeout <= time.Hour {
			t.Errorf("%s timeout %v: an answer may take an hour", name, timeout)
		}
	}
	if server.ReadHeaderTimeout <= 0 || server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 {
		t.Errorf("no limits: %+v", server)
	}
}

// TestServerIsOfThisMachineAlone asks under a name that somebody else has pointed at this machine, and as an allowed
// web page.
func TestServerIsOfThisMachineAlone(t *testing.T) {
	s := serveOne(t, func(c *Config, _ *FunctionConfig) { c.CORS = &CORS{AllowOrigins: []string{"*"}} })
	for host, want := range map[string]int{"rebound.example": 403, "localhost.rebound.example": 403, "localhost": 204, "127.0.0.1": 204, "[::1]": 204} {
		request, err := http.NewRequestWithContext(t.Context(), "OPTIONS", s.url+"/do", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host + strings.TrimPrefix(s.url, "http://127.0.0.1")
		request.Header = http.Header{"Origin": {"https://game.example"}, "Access-Control-Request-Method": {"POST"}}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if allowed := answer.Header.Get("Access-Control-Allow-Origin") != ""; answer.StatusCode != want || allowed != (want == 204) {
			t.Errorf("%s: %s with %v", host, answer.Status, answer.Header)
		}
	}
	recorder, request := httptest.NewRecorder(), httptest.NewRequest("POST", "http://127.0.0.1/1/2018-06-01/runtime/init/error", nil)
	request.Header.Set("Origin", "https://game.example")
	if s.runtime.Handler.ServeHTTP(recorder, request); !strings.Contains(recorder.Body.String(), "not for browsers") {
		t.Errorf("the functions' side answers a web page %d %s", recorder.Code, recorder.Body)
	}
}

func TestLogsLineByLine(t *testing.T) {
	s := serveOne(t)
	s.do("print", "one\r\ntwo").want(t, 200, `"printed"`)
	eventually(t, "all lines are logged", func() bool { return s.logs.count("") == 3 })
	want := "Do: one\nDo: two\nDo: to stderr"
	if got := s.logs.all(); got != want {
		t.Errorf("log\n%q\nwant\n%q", got, want)
	}
}
