package httpapi

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Query is a raw query string. The gateway's own parsed parameters are not used: they do not distinguish a missing
// parameter from an empty one, and join repeated ones.
type Query string

// Get returns the first parameter with the name, and whether it is present: "?name" and "?name=" are present and empty.
// Only "&" separates parameters; "+" is a space. If an escape in a name or value is broken, or does not make UTF-8, the
// text stays as it was sent.
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
