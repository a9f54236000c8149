package gateway

import (
	"net"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// access passes an answer on and records its data for the access log.
type access struct {
	http.ResponseWriter
	began         time.Time
	route         string // "" if the request matches none
	status, bytes int
}

func (a *access) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *access) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.bytes += n
	return n, err
}

var contextVariable = regexp.MustCompile(`\$context(\.\w+)+`)

// line returns the access log's line for a request, in the given format. If line does not know a variable, it writes
// "-", as AWS does for a variable without a value.
func (a *access) line(format string, r *http.Request, requestID string) string {
	values := map[string]string{
		"$context.requestTime":     a.began.UTC().Format("02/Jan/2006:15:04:05 -0700"),
		"$context.requestId":       requestID,
		"$context.status":          strconv.Itoa(a.status),
		"$context.responseLength":  strconv.Itoa(a.bytes),
		"$context.responseLatency": strconv.FormatInt(time.Since(a.began).Milliseconds(), 10),
	}
	if a.route != "" {
		values["$context.routeKey"] = a.route
	}
	if ip, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		values["$context.identity.sourceIp"] = ip
	}
	return contextVariable.ReplaceAllStringFunc(format, func(name string) string {
		if value, ok := values[name]; ok {
			return value
		}
		return "-"
	})
}
