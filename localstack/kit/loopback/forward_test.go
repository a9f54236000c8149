package loopback

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestForward checks that the proxy changes nothing except for headers of the engine that permit access to browsers.
func TestForward(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 40<<20) // more than any limit of DynamoDB, which the engine enforces
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.True(t, err == nil && r.URL.Path == "/some/path" && r.URL.RawQuery == "a=b&c" && r.Header.Get("X-Amz-Target") == "target" && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Accept-Encoding") == "",
			"it gets %s with %v, %v", r.URL, r.Header, err)
		for _, name := range []string{"X-Amz-Crc32", "Access-Control-Allow-Origin", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"} {
			w.Header().Set(name, "*")
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	}))
	defer engine.Close()
	endpoint, err := url.Parse(engine.URL)
	require.NoError(t, err)
	server := httptest.NewServer(Forward(endpoint))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/some/path?a=b&c", bytes.NewReader(large))
	require.NoError(t, err)
	r.Header.Set("X-Amz-Target", "target")
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	assert.True(t, err == nil && answer.StatusCode == http.StatusTeapot && bytes.Equal(body, large) && answer.Header.Get("X-Amz-Crc32") == "*",
		"the answer is %s with %v and %d bytes, %v", answer.Status, answer.Header, len(body), err)
	for name := range answer.Header {
		assert.False(t, strings.HasPrefix(name, "Access-Control-"), "the answer has the header %s", name)
	}
}

// TestForwardWithoutAnEngine checks that a client gets an error that AWS's SDKs repeat.
func TestForwardWithoutAnEngine(t *testing.T) {
	endpoint, err := url.Parse("http://127.0.0.1:9")
	require.NoError(t, err)
	got := send(Forward(endpoint), http.MethodPost, "127.0.0.1", http.Header{})
	assert.Equal(t, http.StatusBadGateway, got.Code)
	assert.Contains(t, got.Body.String(), "#InternalServerError")
}
