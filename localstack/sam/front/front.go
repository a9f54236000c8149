// Package front stands for AWS WAF before the API, as infra/front.yaml deploys it: each address may send so many
// requests in a minute. It counts to the letter, and at once. WAF takes some seconds until it notices, and its limits
// are approximate ("Rate-based rule caveats" in its Developer Guide).
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

// FileName is the template's, from the root of the working tree.
const FileName = "infra/front.yaml"

// rules are what the template limits, by the parameter that says how many a minute.
var rules = map[string]func(path string) bool{
	"AuthAMinute":  func(path string) bool { return strings.HasPrefix(path, "/auth/") },
	"JudgeAMinute": func(path string) bool { return strings.HasSuffix(path, "/judge") },
	"AllAMinute":   func(string) bool { return true },
}

// Limits are how many requests an address may send in a minute, by the template's parameters.
type Limits map[string]int

// Load reads the limits that the template has by default.
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

// Handler passes requests on to the API, and answers 429 to those of an address that is above a limit.
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

// counter has the latest requests of each address. It is for one machine's clients: what it has seen once it keeps.
type counter struct {
	mu   sync.Mutex
	sent map[key][]time.Time // up to the limit, oldest first
}

// count counts a request, and reports whether it is within the limit. As with WAF, one that is above it counts, too:
// who goes on as before stays out.
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
