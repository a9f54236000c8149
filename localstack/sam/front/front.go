// Package front is a stand-in for AWS WAF before the API, as infra/front.yaml deploys it: each address may send so many
// requests in a minute. It counts exactly, and at once. WAF reacts after some seconds, and its limits are approximate
// ("Rate-based rule caveats" in its Developer Guide).
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

// FileName is the path of the template, relative to the root of the working tree.
const FileName = "infra/front.yaml"

// rules are the limited paths, by the template's parameter with the limit for a minute.
var rules = map[string]func(path string) bool{
	"AuthAMinute":  func(path string) bool { return strings.HasPrefix(path, "/auth/") },
	"JudgeAMinute": func(path string) bool { return strings.HasSuffix(path, "/judge") },
	"AllAMinute":   func(string) bool { return true },
}

// Limits are the requests that an address may send in a minute, by the template's parameters.
type Limits map[string]int

// Load reads the template's default limits.
func Load(root string) (Limits, error) {
	t, err := samtemplate.Load(filepath.Join(root, filepath.FromSlash(FileName)))
	if err != nil {
		return nil, err
	}
	values := map[string]samtemplate.Value{}
	for parameter := range rules {
		values[parameter] = samtemplate.Value{Ref: parameter}
	}
	texts, err := t.Resolve(values, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileName, err)
	}
	limits := Limits{}
	for parameter, text := range texts {
		if limits[parameter], err = strconv.Atoi(text); err != nil || limits[parameter] < 1 {
			return nil, fmt.Errorf("%s: %s=%s is no limit", FileName, parameter, text)
		}
	}
	return limits, nil
}

// Handler passes requests to the API, and answers 429 if the address is above a limit.
func Handler(limits Limits, clock func() time.Time, api http.Handler) http.Handler {
	seen := counter{sent: map[key][]time.Time{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			address = r.RemoteAddr
		}
		above := false
		for rule, matches := range rules {
			if matches(r.URL.Path) {
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

// counter has the latest requests of each address. It never forgets an address, since it is for one machine's clients.
type counter struct {
	mu   sync.Mutex
	sent map[key][]time.Time // up to the limit, oldest first
}

// count counts a request, and reports whether it is within the limit. As with WAF, a refused request counts, too: an
// address that goes on as before stays refused.
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
