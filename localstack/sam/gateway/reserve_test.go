package gateway

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
)

// A reserved concurrency of none turns requests away before the function, and each is told; other functions go on.
func TestReserve(t *testing.T) {
	var throttled []string
	g, err := New(Config{
		Functions: []FunctionConfig{functionAt("Do", "POST", "/do"), functionAt("Other", "POST", "/other")},
		Throttled: func(function string) { throttled = append(throttled, function) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	post := func(path string) answer {
		recorder := httptest.NewRecorder()
		g.ServeHTTP(recorder, httptest.NewRequest("POST", path, strings.NewReader("{}")))
		return answer{status: recorder.Code, body: recorder.Body.String()}
	}
	for _, step := range []struct{ concurrency, status, told int }{{0, 503, 1}, {0, 503, 2}, {1, 200, 2}, {0, 503, 3}, {Unreserved, 200, 3}} {
		if err := g.Reserve("Do", step.concurrency); err != nil {
			t.Fatal(err)
		}
		if a := post("/do"); a.status != step.status || a.status == 503 && a.body != unavailable {
			t.Errorf("%+v: %d %s", step, a.status, a.body)
		}
		if a := post("/other"); a.status != 200 {
			t.Errorf("%+v: another function answers %d", step, a.status)
		}
		if strings.Join(throttled, " ") != strings.TrimSpace(strings.Repeat("Do ", step.told)) {
			t.Errorf("%+v: told of %v", step, throttled)
		}
	}
	if err := g.Reserve("None", 1); err == nil {
		t.Error("there is a function None")
	}
}

func TestReservation(t *testing.T) {
	var r reservation
	if !r.enter() { // before there is a limit
		t.Fatal("no limit is one")
	}
	r.set(2)
	for i, want := range []bool{true, false} {
		if r.enter() != want {
			t.Errorf("with %d under way: %t", i+1, !want)
		}
	}
	r.leave()
	if !r.enter() {
		t.Error("what has left still counts")
	}
}
