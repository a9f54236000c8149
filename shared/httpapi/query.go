package httpapi

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Query is a raw query string. We do not use the parameters that API Gateway has parsed: the gateway joins repeated
// parameters, and does not distinguish a missing parameter from an empty one.
type Query string

// Get returns the value of the first parameter with the name, and whether the query has such a parameter. A parameter
// in the form "?name" or "?name=" is present and empty. Only "&" separates parameters, and "+" is a space. If an escape
// in a name or value is invalid, or does not give UTF-8, Get uses the text as it was sent.
func (q Query) Get(name string) (value string, present bool) {
	for parameter := range strings.SplitSeq(string(q), "&") {
		if parameter == "" {
			continue
		}
		key, value, _ := strings.Cut(parameter, "=")
		if unescape(key) == name {
			return unescape(value), true
		}
	}
	return "", false
}

func unescape(s string) string {
	unescaped, err := url.QueryUnescape(s)
	if err != nil || !utf8.ValidString(unescaped) {
		return s
	}
	return unescaped
}
