package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTomorrow(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `[{"error": "DUPLICATE", "score": 1.50, "entry": {"status": "open", "tier": "pro"}}]`)
	}))
	defer api.Close()
	proxy := httptest.NewServer(tomorrow(api.URL))
	defer proxy.Close()
	r, err := http.Get(proxy.URL)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	const field = `"someNewField":{"of":["tomorrow",1]}`
	want := `[{"entry":{` + field + `,"status":"SOMETHING_NEW","tier":"pro"},"error":"SOMETHING_NEW","score":1.50,` + field + `}]`
	assert.True(t, string(body) == want && r.StatusCode == http.StatusConflict && err == nil,
		"%d %s, %v, want 409 %s", r.StatusCode, body, err, want)
}
