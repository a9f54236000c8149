package gateway

import (
	"regexp"
	"strings"

	"golang.org/x/time/rate"
)

// route is a method and a path that lead to a function. A segment of the path can be a {parameter}.
type route struct {
	key      string // as in "POST /cats/{id}/feed"
	method   string
	form     *regexp.Regexp // matches the paths; it has a group for each parameter
	names    []string       // of the parameters
	rank     string         // a digit for each segment: 0 for a literal, 1 for a parameter
	function *function
	limit    *rate.Limiter
}

func newRoute(f *function) route {
	r := route{key: f.cfg.Route(), method: f.cfg.Method, function: f, limit: rate.NewLimiter(rate.Inf, 0)}
	if t := f.cfg.Throttle; t.Rate > 0 {
		r.limit = rate.NewLimiter(rate.Limit(t.Rate), t.Burst)
	}
	form := "^"
	for segment := range strings.SplitSeq(f.cfg.Path[1:], "/") {
		if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
			r.names = append(r.names, segment[1:len(segment)-1])
			r.rank += "1"
			form += "/([^/]+)"
		} else {
			r.rank += "0"
			form += "/" + regexp.QuoteMeta(segment)
		}
	}
	r.form = regexp.MustCompile(form + "$")
	return r
}

// compare orders routes for slices.SortFunc. If two routes match a path, the route with the earlier literal segment
// comes first.
func (r route) compare(other route) int { return strings.Compare(r.rank, other.rank) }

// match finds the route of a request in sorted routes, and the values of the route's parameters. It compares paths
// literally: a trailing slash makes another path, and a parameter is never empty. ok is false if no route matches.
func match(routes []route, method, path string) (r route, parameters map[string]string, ok bool) {
	for _, r := range routes {
		if values := r.form.FindStringSubmatch(path); values != nil && r.method == method {
			parameters = map[string]string{}
			for i, name := range r.names {
				parameters[name] = values[i+1]
			}
			return r, parameters, true
		}
	}
	return route{}, nil, false
}
