package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// An operator may have a slow line. ranchctl waits for an answer whose bytes still arrive, longer than a player would.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		answer, pause := "{}", time.Duration(0)
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
			answer, pause = `{"Items":[]}`, 300*time.Millisecond // 3.6 s in all
		}
		for _, b := range []byte(answer) {
			_, _ = w.Write([]byte{b})
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
	}))
	t.Cleanup(server.Close)
	var out, errs bytes.Buffer
	exit := run(t.Context(), []string{"--endpoint", server.URL, "--table", "ranch", "season", "list", "-o", "json"}, &out, &errs, time.Now)
	if exit != 0 || strings.TrimSpace(out.String()) != "[]" {
		t.Errorf("exit %d: %s%s", exit, out.String(), errs.String())
	}
}
