package httpapi

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Query is a raw query string. The gateway's own parsed parameters are not used, since they do not tell an absent
// parameter from an empty one, and join repeated ones.
type Query string

// Get returns the first parameter of the name, and whether there is one: "?name" and "?name=" are present and empty.
// Only "&" separates parameters; "+" is a space. A name or value with an escape that is broken, or that makes no UTF-8
// text, is taken as it was sent.
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
