package gateway

import (
	"errors"
	"fmt"
	"strings"
)

// route is a method and a path, of which some segments may be {parameters}.
type route struct {
	key      string // as in "POST /shows/{id}/enter"
	method   string
	segments []string
	function *function
	bucket   *bucket // nil: no limit
}

func newRoute(method, path string, f *function) (route, error) {
	rest, absolute := strings.CutPrefix(path, "/")
	if !absolute {
		return route{}, fmt.Errorf("the path %q does not begin with /", path)
	}
	if method == "" || method == "ANY" || strings.Contains(path, "+}") {
		return route{}, errors.New("routes of any method, or of any number of segments, are not supported")
	}
	return route{key: method + " " + path, method: method, segments: strings.Split(rest, "/"), function: f}, nil
}

// parameter gives the name of a segment that takes any text.
func parameter(segment string) (name string, ok bool) {
	if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

// overlaps says whether the routes match the same requests, that is, differ in the names of their parameters at most.
func (r route) overlaps(other route) bool {
	if r.method != other.method || len(r.segments) != len(other.segments) {
		return false
	}
	for i, segment := range r.segments {
		_, isParameter := parameter(segment)
		_, otherIs := parameter(other.segments[i])
		if isParameter != otherIs || !isParameter && segment != other.segments[i] {
			return false
		}
	}
	return true
}

// match finds the route of a request, and the values of its parameters. Paths are compared as they are, segment by
// segment: nothing is cleaned, a trailing slash makes another path, and no segment of a parameter is empty. Where
// several routes match, the one with the earlier literal segments wins.
func match(routes []route, method, path string) (best route, parameters map[string]string, ok bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, r := range routes {
		if r.method != method || !strings.HasPrefix(path, "/") || len(r.segments) != len(segments) {
			continue
		}
		if values, matches := r.values(segments); matches && (!ok || r.moreSpecific(best)) {
			best, parameters, ok = r, values, true
		}
	}
	return best, parameters, ok
}

func (r route) values(segments []string) (map[string]string, bool) {
	values := map[string]string{}
	for i, want := range r.segments {
		if name, isParameter := parameter(want); isParameter && segments[i] != "" {
			values[name] = segments[i]
		} else if want != segments[i] {
			return nil, false
		}
	}
	return values, true
}

func (r route) moreSpecific(other route) bool {
	for i, segment := range r.segments {
		_, isParameter := parameter(segment)
		if _, otherIs := parameter(other.segments[i]); isParameter != otherIs {
			return otherIs
		}
	}
	return false
}
