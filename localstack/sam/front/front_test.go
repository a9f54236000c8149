package front

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func ranch(t *testing.T) (*samtemplate.Template, Limits) {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	limits, err := Load(template.Root)
	require.NoError(t, err)
	return template, limits
}

// One address sends 1,400 requests a second to one route, for 70 seconds. A player at another address calls that route
// every 7 seconds. With the front, all of the player's calls succeed. Without it, at most 70 % do.
func TestAFloodOfOneAddress(t *testing.T) {
	t.Parallel()
	template, limits := ranch(t)
	for _, f := range template.Endpoints() {
		succeeded := func(front bool) (share float64) {
			limit, now := template.Throttle(f.Route()), time.Unix(0, 0)
			tokens := rate.NewLimiter(rate.Limit(limit.Rate), limit.Burst)
			handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !tokens.AllowN(now, 1) {
					w.WriteHeader(http.StatusTooManyRequests)
				}
			}))
			if front {
				handler = Handler(limits, func() time.Time { return now }, handler)
			}
			path := strings.ReplaceAll(f.Path, "{id}", "7")
			flood, player := httptest.NewRequest(f.Method, path, nil), httptest.NewRequest(f.Method, path, nil)
			flood.RemoteAddr, player.RemoteAddr = "192.0.2.1:4711", "198.51.100.7:4711"
			unread := httptest.NewRecorder()
			for i := range 70 * 1_400 {
				handler.ServeHTTP(unread, flood)
				now = now.Add(time.Second / 1_400)
				if i%(7*1_400) == 40 { // the first of ten comes just after the flood has begun
					recorder := httptest.NewRecorder()
					if handler.ServeHTTP(recorder, player); recorder.Code == http.StatusOK {
						share += 0.1
					}
				}
			}
			return share
		}
		with, without := succeeded(true), succeeded(false)
		assert.True(t, with > 0.99 && without < 0.71,
			"%s: %.0f %% of a player's calls succeed through the front, %.0f %% without it", f.Route(), 100*with, 100*without)
	}
}

// A request above a limit gets the gateway's answer to throttled requests, and pages of any origin may read it. A
// minute after the oldest counted request, the next request passes. Other paths and addresses, and preflights, have
// limits of their own.
func TestHandler(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	passed := 0
	limits := Limits{"AuthAMinute": 2, "JudgeAMinute": 1, "AllAMinute": 5, "PreflightsAMinute": 6}
	handler := Handler(limits, func() time.Time { return now },
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ }))
	for i, step := range []struct {
		after         time.Duration
		address, path string // with its method, if that is not POST
		want          int
	}{
		{0, "a:1", "OPTIONS /auth/login", 200}, {0, "a:1", "OPTIONS /auth/login", 200},
		{0, "a:1", "OPTIONS /auth/login", 200}, {0, "a:1", "OPTIONS /events/shows/1/judge", 200},
		{0, "a:1", "OPTIONS /events/shows/2/judge", 200},
		{0, "a:1", "OPTIONS /animals", 200}, {0, "a:1", "OPTIONS /animals", 429},
		{0, "a:1", "/auth/login", 200}, {0, "a:2", "/auth/register", 200}, {0, "a:1", "/auth/login", 429},
		{0, "a:3", "/%61uth/login", 429}, {0, "b:1", "/auth/login", 200}, {0, "[::1]:9", "/auth/login", 200}, {0, "[::1]:8", "/events/shows/1/judge", 200},
		{0, "[::1]:9", "/events/shows/2/judge", 429}, {0, "a:1", "/animals", 200}, {0, "a:1", "/animals", 429},
		{time.Minute - 1, "a:1", "/auth/login", 429}, {1, "a:1", "/auth/login", 200},
		{time.Minute, "a:1", "/authors", 200},
	} {
		now = now.Add(step.after)
		method, path, ok := strings.Cut(step.path, " ")
		if !ok {
			method, path = http.MethodPost, step.path
		}
		request, recorder := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
		request.RemoteAddr = step.address
		handler.ServeHTTP(recorder, request)
		assert.Equal(t, step.want, recorder.Code, "request %d, %s of %s", i, step.path, step.address)
		refused := recorder.Header().Get("Retry-After") == "60" && recorder.Header().Get("Access-Control-Allow-Origin") == "*" &&
			recorder.Body.String() == `{"message":"Too Many Requests"}`
		assert.Equal(t, (step.want == 429), refused, "request %d: %v %s", i, recorder.Header(), recorder.Body)
	}
	assert.Equal(t, 14, passed, "%d requests reach the API", passed)
}

// Load reads a limit for each rate-based rule of infra/front.yaml. The rules refer to the parameters that Load reads.
// Preflights count for one rule alone. A page of another origin can read the answer of each rule that refuses.
func TestLoad(t *testing.T) {
	t.Parallel()
	template, limits := ranch(t)
	text, err := os.ReadFile(filepath.Join(template.Root, fileName))
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(text), "\n      Rules:\n")
	all := strings.Split(list, "        - Name: ")[1:]
	assert.Len(t, limits, strings.Count(list, "RateBasedStatement:"), "limits: %v", limits)
	const preflights = "{ByteMatchStatement: {FieldToMatch: {Method: {}}, PositionalConstraint: EXACTLY, " +
		"SearchString: OPTIONS,"
	for parameter, limit := range limits {
		i := slices.IndexFunc(all, func(rule string) bool { return strings.Contains(rule, "Limit: !Ref "+parameter) })
		require.True(t, limit >= 10 && i >= 0, "%s is %d, and no rule of %s goes by it", parameter, limit, fileName)
		excluded := strings.Contains(all[i], "NotStatement: {Statement: "+preflights)
		assert.True(t, excluded == (parameter != "PreflightsAMinute") && strings.Contains(all[i], preflights),
			"%s excludes preflights: %t", parameter, excluded)
	}
	assert.Greater(t, limits["PreflightsAMinute"], limits["AllAMinute"])
	for _, rule := range all {
		refusals := strings.Count(rule, "Block:")
		readable := strings.Count(rule, `Name: access-control-allow-origin, Value: "*"`)
		assert.True(t, refusals > 0 && readable == refusals,
			"a page can read %d of %d refusals of %s", readable, refusals, rule)
	}
}
