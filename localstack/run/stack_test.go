package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/sam/front"
)

// ask sends a request and returns the answer and its body. If host is "", the request has the host of the address.
func ask(t *testing.T, method, address, host string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader("{}"))
	require.NoError(t, err)
	request.Host, request.Header = host, header.Clone()
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

// listTables is the header of a request to DynamoDB. No engine here checks its signature.
var listTables = http.Header{
	"X-Amz-Target":  {"DynamoDB_20120810.ListTables"},
	"X-Amz-Date":    {"20261120T093000Z"},
	"Content-Type":  {"application/x-amz-json-1.0"},
	"Authorization": {"AWS4-HMAC-SHA256 Credential=x/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"},
}

// TestStack tests a stack without functions, with a data folder and limits of the table and of each address. It checks
// who can reach the stack, what the limits refuse, and what happens if the engine or a server ends.
func TestStack(t *testing.T) {
	tree(t, buildNothing)
	cfg := usual(t)
	cfg.limits, cfg.dataDir = &capacity.Options{PartitionRead: 0.0005}, "data"
	cfg.front, cfg.throttle = true, true
	s, out := openStack(t, cfg)
	kept, err := os.ReadDir(cfg.dataDir)
	assert.True(t, err == nil && len(kept) != 0, "the data is elsewhere: %v", err)
	another, beside := usual(t), &session{}
	another.dataDir = cfg.dataDir
	err = beside.open(t.Context(), another, out, newConsole(out, false))
	assert.True(t, err != nil && strings.HasSuffix(err.Error(), "choose another folder with DATA_DIR=") && beside.close() == nil,
		"a second stack on the same data: %v", err)
	checkReach(t, cfg, s, out)
	checkLimits(t, s)
	t.Run("front", func(t *testing.T) { checkFront(t, cfg) })

	assert.NoError(t, s.served.Inside[0].Close())
	err = s.wait(t.Context())
	assert.True(t, err != nil && strings.Contains(err.Error(), "the server of the database has stopped"), "without the database it ends with %v", err)
	s.engine.Close()
	err = s.wait(t.Context())
	assert.True(t, err != nil && strings.Contains(err.Error(), "the engine has ended: "), "without the engine it ends with %v", err)
}

// checkReach checks which hosts and origins get answers. This machine's names reach the page and the API, programs
// reach the database, and web pages only the API. (kit/loopback tests every header that a browser sends.)
func checkReach(t *testing.T, cfg config, s *session, out *screen) {
	t.Helper()
	page, api, database := fmt.Sprintf("http://127.0.0.1:%d", cfg.playPort), fmt.Sprintf("http://127.0.0.1:%d", cfg.port), fmt.Sprintf("http://127.0.0.1:%d", cfg.dbPort)
	want := running.Stack{API: api, Play: page, Endpoint: database, Table: "ranch"}
	found, err := running.Find()
	assert.True(t, err == nil && found == want && !strings.Contains(out.String(), s.engine.Endpoint()),
		"it is announced as %+v, %v, and says where the engine is:\n%s", found, err, out)
	fromPage, preflight := listTables.Clone(), http.Header{"Origin": {page}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"}}
	fromPage.Set("Origin", "https://evil.example")
	for _, c := range []struct {
		method, address, host string
		header                http.Header
		status                int
		want                  string
	}{
		{"GET", page + "/config.json", "", nil, 200, `{"api":"` + api + `","links":true}`},
		{"GET", page + "/openapi.yaml", "", nil, 200, "openapi: 3.1"},
		{"GET", page + "/reference/start.js", "", nil, 200, "SwaggerUIBundle"},
		{"GET", page + "/config.json", "evil.example", nil, 403, "this machine's own names"},
		{"GET", api + "/config.json", "", nil, 404, "Not Found"}, // the API does not serve the page's files
		{"OPTIONS", api + "/animals", "", preflight, 204, ""},
		{"POST", api, "", fromPage, 404, "Not Found"},
		{"POST", api, "evil.example", listTables, 403, "this machine's own names"},
		{"POST", database, "", listTables, 200, `"TableNames"`},
		{"POST", database, "", fromPage, 403, "not for browsers"},
		{"OPTIONS", database, "", preflight, 403, "not for browsers"},
		{"POST", database, "evil.example", listTables, 403, "this machine's own names"},
	} {
		answer, body := ask(t, c.method, c.address, c.host, c.header)
		allowed := answer.Header.Get("Access-Control-Allow-Origin")
		assert.True(t, answer.StatusCode == c.status && strings.Contains(body, c.want) && (c.status != 403 || allowed == "") && (c.status != 204 || allowed == "*" || allowed == page),
			"%s %s of %q: %s %.200s, allowed %q; want %d with %s", c.method, c.address, c.host, answer.Status, body, allowed, c.status, c.want)
	}
	for i, server := range s.served.Inside { // also the functions' way to the engine, at a port that tools do not know
		request, recorder := httptest.NewRequest("POST", "http://127.0.0.1/EnterShow", strings.NewReader("{}")), httptest.NewRecorder()
		request.Header = fromPage
		server.Handler.ServeHTTP(recorder, request)
		assert.Equal(t, http.StatusForbidden, recorder.Code, "server %d answers a page: %d %s", i, recorder.Code, recorder.Body)
	}
}

// checkLimits checks a limit of one read unit in 33 minutes. It throttles the second read of a function, but not the
// reads of tools.
func checkLimits(t *testing.T, s *session) {
	t.Helper()
	read := func(handler http.Handler, path string) string {
		t.Helper()
		body := `{"TableName": "ranch", "Key": {"PK": {"S": "LAYOUT"}, "SK": {"S": "LAYOUT"}}, "ConsistentRead": true}`
		request, recorder := httptest.NewRequest("POST", "http://127.0.0.1"+path, strings.NewReader(body)), httptest.NewRecorder()
		request.Header = listTables.Clone()
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
		handler.ServeHTTP(recorder, request)
		return fmt.Sprint(recorder.Code, " ", recorder.Body)
	}
	tools, functions := s.served.Inside[0].Handler, s.served.Inside[1].Handler
	for i, want := range []string{"200 ", "400 "} {
		got := read(functions, "/EnterShow")
		assert.True(t, strings.HasPrefix(got, want) && strings.Contains(got, "ProvisionedThroughputExceeded") == (i == 1),
			"read %d of a function: %s", i, got)
		got = read(tools, "")
		assert.True(t, strings.HasPrefix(got, "200 "), "read %d of a tool: %s", i, got)
	}
	text := summary(s.limits.Counts("", ""))
	assert.True(t, strings.HasPrefix(text, "The functions' requests: 2, of them throttled 1 and in conflict 0; 1 read and 0 write units"),
		text)
}

// checkFront floods the API with log-ins from one address. The number that passes is the limit in infra/front.yaml, so
// the route stays free for other addresses. Without functions, a request that passes gets another error than 429.
func checkFront(t *testing.T, cfg config) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: only Linux has all addresses of 127.0.0.0/8")
	}
	limits, err := front.Load(loadTemplate(t).Root)
	require.NoError(t, err)
	passed := func(last byte, calls int) (n int) {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
		client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
		defer client.CloseIdleConnections()
		for range calls {
			answer, err := client.Post(fmt.Sprintf("http://127.0.0.1:%d/auth/login", cfg.port), "application/json", strings.NewReader("{}"))
			require.NoError(t, err)
			answer.Body.Close()
			if answer.StatusCode != http.StatusTooManyRequests {
				n++
			}
		}
		return n
	}
	n := passed(2, 100)
	assert.Equal(t, limits["AuthAMinute"], n, "%d requests of the flood pass, want %d", n, limits["AuthAMinute"])
	n = passed(3, 10)
	assert.Equal(t, 10, n, "%d of 10 requests of another address pass", n)
}
