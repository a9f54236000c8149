// Package front is a stand-in for AWS WAF before the API, as infra/front.yaml deploys it. It limits how many requests
// each address sends in a minute. Its counts are exact and immediate. WAF's limits are approximate and take effect
// later ("Rate-based rule caveats" in its Developer Guide).
package front

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// window is how long a request counts.
const window = time.Minute

// fileName is the path of the front's template, relative to the root of the working tree.
const fileName = "infra/front.yaml"

// rules has, for each limit by its template parameter, a function that reports whether a request counts. Preflights
// have a limit of their own.
var rules = map[string]func(method, path string) bool{
	"AuthAMinute": func(method, path string) bool {
		return method == http.MethodPut || method == http.MethodDelete || method != http.MethodOptions && strings.HasPrefix(path, "/auth/")
	},
	"JudgeAMinute": func(method, path string) bool {
		return method != http.MethodOptions && strings.HasSuffix(path, "/judge")
	},
	"AllAMinute":        func(method, _ string) bool { return method != http.MethodOptions },
	"PreflightsAMinute": func(method, _ string) bool { return method == http.MethodOptions },
}

// Limits has the most requests that an address may send in a minute, by the name of the template parameter.
type Limits map[string]int

// Load reads the template's default limits.
func Load(root string) (Limits, error) {
	t, err := samtemplate.Load(filepath.Join(root, filepath.FromSlash(fileName)))
	if err != nil {
		return nil, err
	}
	limits := Limits{}
	for parameter := range rules {
		text, err := t.Text(samtemplate.Value{Ref: parameter}, nil)
		if err == nil {
			limits[parameter], err = strconv.Atoi(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the parameter %s: %w", fileName, parameter, err)
		}
	}
	return limits, nil
}

// Handler passes requests to the API. If an address exceeds one of the limits, Handler answers its requests with 429.
func Handler(limits Limits, clock func() time.Time, api http.Handler) http.Handler {
	seen := counter{sent: map[key][]time.Time{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr) // which net/http sets
		above := false
		for rule, matches := range rules {
			if matches(r.Method, r.URL.Path) {
				above = !seen.count(key{rule, address}, clock(), limits[rule]) || above
			}
		}
		if !above {
			api.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "60")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "retry-after")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"message":"Too Many Requests"}`)
	})
}

type key struct{ rule, address string }

// counter remembers the latest requests of each address. It never forgets an address, since only clients on this
// machine send requests.
type counter struct {
	mu   sync.Mutex
	sent map[key][]time.Time // the latest limit+1, oldest first
}

// count counts a request, and reports whether the request is within the limit. Like WAF, it also counts refused
// requests: an address that does not slow down stays refused.
func (c *counter) count(k key, now time.Time, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := append(c.sent[k], now)
	if len(sent) > limit+1 {
		sent = sent[1:]
	}
	c.sent[k] = sent
	return len(sent) <= limit || now.Sub(sent[0]) >= window
}
