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
	"github.com/ranch-game/ranch/localstack/sam/front"
)

// listTables is the header of a request to DynamoDB. No engine here checks its signature.
var listTables = http.Header{
	"X-Amz-Target":  {"DynamoDB_20120810.ListTables"},
	"X-Amz-Date":    {"20261120T093000Z"},
	"Content-Type":  {"application/x-amz-json-1.0"},
	"Authorization": {"AWS4-HMAC-SHA256 Credential=x/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"},
}

// TestStack tests a stack without functions, with a data folder and limits of each address. It checks who can reach the
// stack, what the limits refuse, and what happens if the engine or a server ends.
func TestStack(t *testing.T) {
	tree(t, buildNothing)
	cfg := usual(t)
	cfg.dataDir, cfg.front, cfg.throttle = "data", true, true
	cfg.hosts.Names = []string{"mac.local"}
	s, out := openStack(t, cfg)
	kept, err := os.ReadDir(cfg.dataDir)
	assert.True(t, err == nil && len(kept) != 0, "the data is elsewhere: %v", err)
	another, beside := usual(t), &session{}
	another.dataDir = cfg.dataDir
	err = beside.open(t.Context(), another, out, newConsole(out, false))
	assert.True(t, err != nil && strings.HasSuffix(err.Error(), "choose another folder with DATA_DIR=") && beside.close() == nil,
		"a second stack on the same data: %v", err)
	checkReach(t, cfg, s, out)
	t.Run("front", func(t *testing.T) { checkFront(t, cfg) })

	assert.NoError(t, s.served.Inside[0].Close())
	err = s.wait(t.Context())
	assert.True(t, err != nil && strings.Contains(err.Error(), "the server of the database has stopped"), "without the database it ends with %v", err)
	s.engine.Close()
	err = s.wait(t.Context())
	assert.True(t, err != nil && strings.Contains(err.Error(), "the engine has ended: "), "without the engine it ends with %v", err)
}

// checkReach checks which hosts and origins get answers. Web pages reach the game and the API, and only programs reach
// the database and the functions' way to it. (kit/loopback tests each header that a browser sends.)
func checkReach(t *testing.T, cfg config, s *session, out *screen) {
	t.Helper()
	page, api, database := fmt.Sprintf("http://127.0.0.1:%d", cfg.playPort), fmt.Sprintf("http://127.0.0.1:%d", cfg.port), fmt.Sprintf("http://127.0.0.1:%d", cfg.dbPort)
	want := running.Stack{API: api, Play: page, Endpoint: database, Table: "ranch"}
	found, err := running.Find()
	assert.True(t, err == nil && found == want && !strings.Contains(out.String(), s.engine.Endpoint()),
		"it is announced as %+v, %v, and says where the engine is:\n%s", found, err, out)
	for _, c := range []struct {
		method, address, host string // "": the host of the address
		status                int
		want                  string
	}{
		{"GET", page + "/config.json", "", 200, `{"api":"` + api + `","links":true}`},
		{"GET", page + "/config.json", fmt.Sprintf("mac.local:%d", cfg.playPort), 200, fmt.Sprintf(`"api":"http://mac.local:%d"`, cfg.port)},
		{"GET", page + "/config.json", "mac.local", 200, `{"api":"` + api + `","links":true}`}, // a tunnel's name has no port
		{"GET", page + "/config.json", "evil.example", 403, "this machine's own names"},
		{"POST", api, "mac.local", 404, "Not Found"},
		{"POST", api, "evil.example", 403, "this machine's own names"},
		{"POST", database, "mac.local", 403, "this machine's own names"},
		{"POST", database, "", 200, `"TableNames"`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, c.address, strings.NewReader("{}"))
		require.NoError(t, err)
		request.Host, request.Header = c.host, listTables.Clone()
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		assert.True(t, err == nil && answer.Body.Close() == nil && answer.StatusCode == c.status && strings.Contains(string(body), c.want),
			"%s %s of %q: %s %.200s, %v; want %d with %s", c.method, c.address, c.host, answer.Status, body, err, c.status, c.want)
	}
	for i, server := range s.served.Inside {
		request, recorder := httptest.NewRequest("POST", "http://127.0.0.1/EnterShow", strings.NewReader("{}")), httptest.NewRecorder()
		request.Header = listTables.Clone()
		request.Header.Set("Origin", "https://evil.example")
		server.Handler.ServeHTTP(recorder, request)
		assert.Equal(t, http.StatusForbidden, recorder.Code, "server %d answers a page: %d %s", i, recorder.Code, recorder.Body)
	}
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
	for _, c := range []struct {
		last          byte // of the sender's address
		calls, passed int
	}{{2, 100, limits["AuthAMinute"]}, {3, 10, 10}} {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, c.last)}}
		client, passed := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}, 0
		for range c.calls {
			answer, err := client.Post(fmt.Sprintf("http://127.0.0.1:%d/auth/login", cfg.port), "application/json", strings.NewReader("{}"))
			require.NoError(t, err)
			answer.Body.Close()
			if answer.StatusCode != http.StatusTooManyRequests {
				passed++
			}
		}
		client.CloseIdleConnections()
		assert.Equal(t, c.passed, passed, "requests of 127.0.0.%d that pass", c.last)
	}
}
