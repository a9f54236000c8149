package gateway

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func TestRoutes(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{
		functionAt("List", "GET", "/cats"), functionAt("Get", "GET", "/cats/{id}"), functionAt("Oldest", "GET", "/cats/oldest"),
		functionAt("Feed", "POST", "/cats/{id}/feed"), functionAt("First", "POST", "/cats/first/{action}"),
	}})
	for _, test := range []struct {
		method, path, key string
		parameters        map[string]string
	}{
		{"GET", "/cats", "GET /cats", nil},
		{"GET", "/cats/1", "GET /cats/{id}", map[string]string{"id": "1"}},
		{"GET", "/cats/oldest", "GET /cats/oldest", nil},
		{"GET", "/cats/a%20b%2Bc", "GET /cats/{id}", map[string]string{"id": "a b+c"}},
		{"GET", "/cats/..", "GET /cats/{id}", map[string]string{"id": ".."}},
		{"GET", "/cats/%0A", "GET /cats/{id}", map[string]string{"id": "\n"}},
		{"POST", "/cats/1/feed", "POST /cats/{id}/feed", map[string]string{"id": "1"}},
		{"POST", "/cats/first/feed", "POST /cats/first/{action}", map[string]string{"action": "feed"}},
		{"POST", "/cats", "", nil},
		{"OPTIONS", "/cats", "", nil},
		{"GET", "//cats", "", nil},
		{"GET", "/cats%0A", "", nil},
		{"GET", "/cats/1/", "", nil},
		{"GET", "/cats/../cats", "", nil},
		{"POST", "/cats//feed", "", nil},
	} {
		a := s.send(test.method, test.path, "")
		if test.key == "" {
			assert.True(t, a.status == 404 && a.body == notFound,
				"%s %s: %d %s", test.method, test.path, a.status, a.body)
		} else if event := a.event(t); event.RouteKey != test.key || !maps.Equal(event.PathParameters, test.parameters) {
			t.Errorf("%s %s: route %s with %v, want %s with %v", test.method, test.path, event.RouteKey, event.PathParameters, test.key, test.parameters)
		}
	}
}

func TestLogsLineByLine(t *testing.T) {
	s := serveOne(t)
	s.do("print", "one\r\ntwo").want(t, 200, `"printed"`)
	const want = "Do: one\nDo: two\nDo: to stderr\n"
	processtest.Eventually(t, "all lines are logged", func() bool { return s.logs.all() == want })
}

// Requests above a route's limit get a 429 with CORS headers. Requests to other routes and preflight requests pass.
func TestThrottledRoute(t *testing.T) {
	do := functionAt("Do", "POST", "/do")
	do.Throttle = samtemplate.Throttle{Rate: 1e-9, Burst: 2}
	s := serve(t, Config{
		Functions: []FunctionConfig{do, functionAt("Other", "POST", "/other")},
		CORS:      &samtemplate.CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"POST"}},
	})
	first, second := s.ask(), s.ask()
	assert.True(t, first.RequestID != second.RequestID, "the function was not asked again")
	for range 3 {
		a := s.send("POST", "/do", "", "Origin: https://game.example", "X-Do: instance")
		a.want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
		assert.True(t, a.header.Get("Access-Control-Allow-Origin") == "*" && a.header.Get("Apigw-Requestid") != "", "headers %v", a.header)
	}
	s.send("POST", "/other", "", "X-Do: instance").instance(t)
	s.send("GET", "/do", "").want(t, 404, notFound)
	a := s.send("OPTIONS", "/do", "", "Origin: https://game.example", "Access-Control-Request-Method: POST")
	assert.Equal(t, http.StatusNoContent, a.status, "preflight: %d %s", a.status, a.body)
}
