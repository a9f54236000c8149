package gateway

import (
	"net/http"
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	b, now := newBucket(Throttle{Rate: 10, Burst: 3}), time.Now()
	for i, step := range []struct {
		later time.Duration
		takes int // of four
	}{
		{0, 3}, {0, 0}, {99 * time.Millisecond, 0}, {time.Millisecond, 1}, {250 * time.Millisecond, 2}, {50 * time.Millisecond, 1}, {time.Hour, 3},
		{-time.Hour, 0}, // a clock that was put back
	} {
		now = now.Add(step.later)
		took := 0
		for range 4 {
			if b.take(now) {
				took++
			}
		}
		if took != step.takes {
			t.Errorf("step %d: took %d, want %d", i, took, step.takes)
		}
	}
	unlimited := newBucket(Throttle{})
	for range 1000 {
		if !unlimited.take(now) {
			t.Fatal("no limit is one")
		}
	}
}

// A request too many is answered by the gateway itself, in its own form and with CORS, and no function hears of it;
// other routes, and what is no route, are not meant.
func TestThrottledRoute(t *testing.T) {
	do := functionAt("Do", "POST", "/do")
	do.Throttle = Throttle{Rate: 1e-9, Burst: 2}
	s := serve(t, Config{
		Functions: []FunctionConfig{do, functionAt("Other", "POST", "/other")},
		CORS:      &CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"POST"}},
	})
	first := s.do("instance", "").instance(t)
	if second := s.do("instance", "").instance(t); second.RequestID == first.RequestID {
		t.Error("the function was not asked again")
	}
	for range 3 {
		a := s.send("POST", "/do", "", "Origin: https://game.example", "X-Do: instance")
		a.want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
		if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Apigw-Requestid") == "" {
			t.Errorf("headers %v", a.header)
		}
	}
	s.send("POST", "/other", "", "X-Do: instance").instance(t)
	s.send("GET", "/do", "").want(t, http.StatusNotFound, notFound)
	if a := s.send("OPTIONS", "/do", "", "Origin: https://game.example", "Access-Control-Request-Method: POST"); a.status != http.StatusNoContent {
		t.Errorf("preflight: %d %s", a.status, a.body)
	}
}
