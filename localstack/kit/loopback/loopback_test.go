package loopback

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var reached = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") })

func send(handler http.Handler, method, host string, header http.Header) *httptest.ResponseRecorder {
	r, recorder := httptest.NewRequest(method, "/", strings.NewReader("{}")), httptest.NewRecorder()
	r.Host, r.Header = host, header
	handler.ServeHTTP(recorder, r)
	return recorder
}

func TestRequireHost(t *testing.T) {
	for _, c := range []struct {
		here  bool
		hosts []string
	}{
		{true, []string{
			"localhost", "localhost:8000", "LocalHost:8000", "localhost.", "LOCALHOST.:8000", "127.0.0.1", "127.0.0.1:8000", "127.0.0.1.:8000", "127.255.3.4:1",
			"[::1]", "[::1]:65535",
		}},
		{false, []string{
			"", ":8000", ".", "evil.example", "evil.example:8000", "localhost.evil.example", "localhost.evil.example:8000", "evil.localhost", "localhost..",
			"localhostx", "xlocalhost", "127.0.0.1.evil.example", "127.evil.example", "localhost.localdomain", "localhost:evil.example", "localhost:",
			"localhost:65536", "localhost:-1", "localhost:+1", "evil.example@localhost", "localhost,evil.example", "localhost evil.example", " localhost",
			"localhost:8000:8000", "0.0.0.0", "0.0.0.0:8000", "126.0.0.1", "128.0.0.1", "192.168.0.1:8000", "127.1", "0127.0.0.1", "2130706433", "::1", "[::1].",
			"[::]", "[::2]:8000", "[::ffff:127.0.0.1]", "[127.0.0.1]", "[localhost]", "[::1%25lo]", "[::1", "::1]", "[fe80::1]:8000", "localhost\x00",
		}},
	} {
		for _, host := range c.hosts {
			for name, handler := range map[string]http.Handler{"RequireHost": RequireHost(reached, Hosts{}), "RefuseBrowsers": RefuseBrowsers(reached)} {
				got := send(handler, "POST", host, http.Header{})
				assert.True(t, (got.Code == http.StatusOK) == c.here && (got.Body.String() == "reached") == c.here,
					"%s with the host %q: %d %s", name, host, got.Code, got.Body)
			}
		}
	}
	server := httptest.NewServer(RequireHost(reached, Hosts{}))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
	require.NoError(t, err)
	r.Host = "ranch.example"
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	assert.True(t, err == nil && answer.StatusCode == http.StatusForbidden && strings.Contains(string(body), "use "+server.URL+","),
		"it says %s %s, %v without the address %s", answer.Status, body, err, server.URL)
}

// TestHosts checks that an opened server answers to other devices, and not to a name that a web page has rebound.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		hosts  Hosts
		opened []string
	}{
		{Hosts{}, nil},
		{Hosts{Addresses: true}, []string{"192.168.0.1", "192.168.0.1:3000", "10.0.2.2:3000"}},
		{Hosts{Names: []string{"ranch.example", "mac.local"}}, []string{"ranch.example", "RANCH.example.:443", "mac.local:3001"}},
	} {
		for _, host := range []string{
			"192.168.0.1", "192.168.0.1:3000", "10.0.2.2:3000", "ranch.example", "RANCH.example.:443", "mac.local:3001", "localhost", "0.0.0.0:3000",
			"evil.example", "x.ranch.example", "ranch.example:x", "192.168.0.1.evil.example", "[fe80::1]:3000", "3232235521", "",
		} {
			got := send(RequireHost(reached, c.hosts), "GET", host, http.Header{})
			answered := slices.Contains(c.opened, host) || host == "localhost"
			assert.Equal(t, answered, got.Code == http.StatusOK, "%+v: %q gets %d", c.hosts, host, got.Code)
		}
	}
}

// TestRefuseBrowsers checks that RefuseBrowsers refuses the requests of Chromium and Firefox in each case. RequireHost,
// which protects the API, must accept them.
func TestRefuseBrowsers(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		header http.Header
	}{
		"preflight": {"OPTIONS", http.Header{
			"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Private-Network": {"true"},
			"Sec-Fetch-Mode": {"cors"}, "Sec-Fetch-Site": {"cross-site"},
		}},
		"fetch":                        {"POST", http.Header{"Origin": {"https://evil.example"}, "X-Amz-Target": {"DynamoDB_20120810.ListTables"}}},
		"fetch without CORS":           {"POST", http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"text/plain;charset=UTF-8"}}},
		"fetch from a sandboxed frame": {"POST", http.Header{"Origin": {"null"}}},
		"fetch from this very port":    {"POST", http.Header{"Origin": {"http://127.0.0.1:8000"}, "Sec-Fetch-Site": {"same-origin"}}},
		"empty origin":                 {"POST", http.Header{"Origin": {""}}},
		"link or form":                 {"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}},
		"image or script":              {"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}}},
		"typed into the address bar":   {"GET", http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Mode": {"navigate"}}},
		"empty site":                   {"GET", http.Header{"Sec-Fetch-Site": {""}}},
	} {
		got := send(RefuseBrowsers(reached), c.method, "127.0.0.1:8000", c.header)
		assert.True(t, got.Code == http.StatusForbidden && strings.Contains(got.Body.String(), `{"message":"This port is for programs, not for browsers`) && len(got.Header()) == 1,
			"%s: %d %s with %v", name, got.Code, got.Body, got.Header())
		got = send(RequireHost(reached, Hosts{}), c.method, "127.0.0.1:3000", c.header)
		assert.Equal(t, http.StatusOK, got.Code, "%s to the API: %d %s", name, got.Code, got.Body)
	}
	program := http.Header{"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "User-Agent": {"aws-sdk-go-v2"}, "Authorization": {"AWS4-HMAC-SHA256"}}
	got := send(RefuseBrowsers(reached), "POST", "127.0.0.1:8000", program)
	assert.True(t, got.Code == http.StatusOK && got.Body.String() == "reached", "a program: %d %s", got.Code, got.Body)
}
