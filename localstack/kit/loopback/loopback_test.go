package loopback

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var reached = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") })

func TestRequireHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8000": true, "LocalHost:8000": true, "localhost.": true, "LOCALHOST.:8000": true,
		"127.0.0.1": true, "127.0.0.1:8000": true, "127.0.0.1.:8000": true, "127.255.3.4:1": true, "[::1]": true, "[::1]:65535": true,

		"": false, ":8000": false, ".": false, "evil.example": false, "evil.example:8000": false, "localhost.evil.example": false, "localhost.evil.example:8000": false,
		"evil.localhost": false, "localhost..": false, "localhostx": false, "xlocalhost": false, "127.0.0.1.evil.example": false, "127.evil.example": false,
		"localhost.localdomain": false, "localhost:evil.example": false, "localhost:": false, "localhost:65536": false, "localhost:-1": false, "localhost:+1": false,
		"evil.example@localhost": false, "localhost,evil.example": false, "localhost evil.example": false, " localhost": false, "localhost:8000:8000": false,
		"0.0.0.0": false, "0.0.0.0:8000": false, "126.0.0.1": false, "128.0.0.1": false, "192.168.0.1:8000": false, "127.1": false, "0127.0.0.1": false, "2130706433": false,
		"::1": false, "[::1].": false, "[::]": false, "[::2]:8000": false, "[::ffff:127.0.0.1]": false, "[127.0.0.1]": false, "[localhost]": false, "[::1%25lo]": false,
		"[::1": false, "::1]": false, "[fe80::1]:8000": false, "localhost\x00": false,
	} {
		for name, handler := range map[string]http.Handler{"RequireHost": RequireHost(reached), "RefuseBrowsers": RefuseBrowsers(reached)} {
			r := httptest.NewRequest("POST", "/", nil)
			r.Host = host
			if got := send(handler, r); (got.Code == http.StatusOK) != want || (got.Body.String() == "reached") != want {
				t.Errorf("%s with the host %q: %d %s", name, host, got.Code, got.Body)
			}
		}
	}
}

// TestRequireHost_saysWhatToUseInstead asks over a connection, which has an address.
func TestRequireHost_saysWhatToUseInstead(t *testing.T) {
	server := httptest.NewServer(RequireHost(reached))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "ranch.example"
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct{ Message string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Fatalf("%s, %v", answer.Status, err)
	}
	if !strings.Contains(body.Message, "use "+server.URL+",") {
		t.Errorf("it says %q, without the address %s", body.Message, server.URL)
	}
}

// The headers are those that Chromium and Firefox send in each case.
var ofBrowsers = map[string]struct {
	method string
	header http.Header
}{
	"preflight": {"OPTIONS", http.Header{
		"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"x-amz-target"},
		"Sec-Fetch-Mode": {"cors"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Dest": {"empty"},
	}},
	"preflight to a private network": {"OPTIONS", http.Header{
		"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Private-Network": {"true"},
	}},
	"fetch":                            {"POST", http.Header{"Origin": {"https://evil.example"}, "X-Amz-Target": {"DynamoDB_20120810.ListTables"}}},
	"fetch without CORS":               {"POST", http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"text/plain;charset=UTF-8"}}},
	"fetch from a sandboxed frame":     {"POST", http.Header{"Origin": {"null"}}},
	"fetch from another port":          {"POST", http.Header{"Origin": {"http://localhost:5173"}, "Sec-Fetch-Site": {"same-site"}}},
	"fetch from this very port":        {"POST", http.Header{"Origin": {"http://127.0.0.1:8000"}, "Sec-Fetch-Site": {"same-origin"}}},
	"empty origin":                     {"POST", http.Header{"Origin": {""}}},
	"link or form":                     {"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-User": {"?1"}, "Sec-Fetch-Dest": {"document"}}},
	"image or script":                  {"GET", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}}},
	"typed into the address bar":       {"GET", http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Mode": {"navigate"}}},
	"empty site":                       {"GET", http.Header{"Sec-Fetch-Site": {""}}},
	"options without being asked to":   {"OPTIONS", http.Header{"Origin": {"https://evil.example"}}},
	"beacon, of an unknown media type": {"POST", http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Mode": {"no-cors"}}},
}

func TestRefuseBrowsers(t *testing.T) {
	for name, c := range ofBrowsers {
		r := httptest.NewRequest(c.method, "http://127.0.0.1:8000/", strings.NewReader("{}"))
		r.Header = c.header
		got := send(RefuseBrowsers(reached), r)
		if got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), `{"message":"This port is for programs, not for browsers`) {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
		for header := range got.Header() {
			if header != "Content-Type" {
				t.Errorf("%s: the answer has the header %s", name, header)
			}
		}
	}
}

func TestRefuseBrowsers_passesPrograms(t *testing.T) {
	r := httptest.NewRequest("POST", "http://127.0.0.1:8000/", strings.NewReader("{}"))
	r.Header = http.Header{
		"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "Content-Type": {"application/x-amz-json-1.0"}, "User-Agent": {"aws-sdk-go-v2"}, "Authorization": {"AWS4-HMAC-SHA256"},
	}
	if got := send(RefuseBrowsers(reached), r); got.Code != http.StatusOK || got.Body.String() != "reached" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestRequireHost_passesBrowsers: the API is for web pages, too.
func TestRequireHost_passesBrowsers(t *testing.T) {
	for name, c := range ofBrowsers {
		r := httptest.NewRequest(c.method, "http://127.0.0.1:3000/animals", nil)
		r.Header = c.header
		if got := send(RequireHost(reached), r); got.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
}

func send(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder
}
