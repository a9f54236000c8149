package lossy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// counter is an API that says how many requests it has had, and a proxy of it.
func counter(t *testing.T) (*Proxy, *atomic.Int64) {
	t.Helper()
	var had atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, strconv.FormatInt(had.Add(1), 10)+" "+r.Method+" "+r.URL.String()+" "+string(body))
	}))
	t.Cleanup(api.Close)
	p, err := Start(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, &had
}

// call returns the status and the body, or "lost".
func call(t *testing.T, p *Proxy, path string) string {
	t.Helper()
	answer, err := http.Post(p.URL+path, "text/plain", strings.NewReader("x"))
	if err != nil {
		return "lost"
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "cut"
	}
	return strconv.Itoa(answer.StatusCode) + " " + string(body)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault     Fault
		got, next string
	}{
		"the request lost":        {LoseRequest(), "lost", "200 1 POST /a?b=c x"},
		"the answer lost":         {LoseAnswer(), "lost", "200 2 POST /a?b=c x"},
		"the answer cut":          {CutAnswer(), "cut", "200 2 POST /a?b=c x"},
		"delayed":                 {Delay(time.Millisecond), "200 1 POST /a?b=c x", "200 2 POST /a?b=c x"},
		"twice":                   {Twice(), "200 2 POST /a?b=c x", "200 3 POST /a?b=c x"},
		"answered by itself":      {Answer(429, "slow", "Retry-After", "1"), "429 slow", "200 1 POST /a?b=c x"},
		"answered something else": {AnswerInstead(502, ""), "502 ", "200 2 POST /a?b=c x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := counter(t)
			rule := p.On("POST", "/a", 1, c.fault)
			if got := call(t, p, "/a?b=c"); got != c.got {
				t.Errorf("got %q, want %q", got, c.got)
			}
			if got := call(t, p, "/a?b=c"); got != c.next {
				t.Errorf("then got %q, want %q", got, c.next)
			}
			if rule.Played() != 1 || p.Came("POST", "/a") != 2 || p.Came("GET", "/a") != 0 || p.Came("", "/*") != 2 {
				t.Errorf("played %d times, of %d requests", rule.Played(), p.Came("POST", "/a"))
			}
		})
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	p, _ := counter(t)
	p.On("POST", "/shows/*/enter", 2, Answer(503, "busy"))
	p.On("", "/shows/2/enter", Always, Answer(500, "broken"))
	for i, c := range []struct{ path, want string }{
		{"/shows/1", "200 1 POST /shows/1 x"}, {"/shows/2/enter", "503 busy"}, {"/shows/3/enter", "503 busy"},
		{"/shows/3/enter", "200 2 POST /shows/3/enter x"}, {"/shows/2/enter", "500 broken"}, {"/shows/2/enter", "500 broken"},
	} {
		if got := call(t, p, c.path); got != c.want {
			t.Errorf("%d: %s got %q, want %q", i, c.path, got, c.want)
		}
	}
	if forwarded := p.Forwarded("", ""); forwarded != 2 {
		t.Errorf("%d were forwarded", forwarded)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault Fault
		had   int64 // by the API, while it is held
	}{"the request": {HoldRequest(), 0}, "the answer": {HoldAnswer(), 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, had := counter(t)
			rule := p.On("", "", 1, c.fault)
			got := make(chan string)
			go func() { got <- call(t, p, "/") }()
			if err := errors.Join(rule.Begun(t.Context(), 1), p.AwaitForwarded(t.Context(), "", "", int(c.had))); err != nil {
				t.Fatal(err)
			}
			if had.Load() != c.had {
				t.Errorf("the API had %d", had.Load())
			}
			select {
			case early := <-got:
				t.Errorf("%q was not held", early)
			default:
			}
			rule.Release()
			if got := <-got; got != "200 1 POST / x" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestHold_clientGoes(t *testing.T) {
	t.Parallel()
	p, had := counter(t)
	rule := p.On("", "", 1, HoldRequest())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = rule.Begun(t.Context(), 1)
		cancel()
	}()
	r, err := http.NewRequestWithContext(ctx, "GET", p.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := rule.Ended(t.Context(), 1); err != nil || had.Load() != 0 {
		t.Errorf("%v, and the API had %d", err, had.Load())
	}
}

func TestLate(t *testing.T) {
	t.Parallel()
	p, had := counter(t)
	rule := p.On("", "", 1, Late())
	if got := call(t, p, "/"); got != "lost" || had.Load() != 0 {
		t.Errorf("got %q, and the API had %d", got, had.Load())
	}
	rule.Release()
	if err := rule.Ended(t.Context(), 1); err != nil || had.Load() != 1 {
		t.Errorf("%v, and the API had %d", err, had.Load())
	}
}

func TestGoAway(t *testing.T) {
	t.Parallel()
	p, had := counter(t)
	p.GoAway()
	if _, err := http.Get(p.URL); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
	if err := p.ComeBack(); err != nil {
		t.Fatal(err)
	}
	if got := call(t, p, "/"); got != "200 1 POST / x" || had.Load() != 1 {
		t.Errorf("got %q", got)
	}
}
