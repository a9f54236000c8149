package game

import (
	"regexp"
	"strings"
)

// maxEmailBytes is the length of the longest valid address. RFC 5321, 4.5.3.1.3 allows 256 bytes with two angle
// brackets.
const maxEmailBytes = 254

// address matches a valid e-mail address: a dot-atom of RFC 5322, 3.2.3, then @, then two or more labels. The last
// label is not a number, so that an IPv4 address is not a valid domain.
var address = regexp.MustCompile(`^` + atom + `(\.` + atom + `)*@(` + label + `\.)+([A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9])$`)

const (
	atom  = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
	label = `[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?`
)

// NormalizeEmail returns a valid address in lower case. The service stores, compares and returns addresses in that
// form. NormalizeEmail keeps dots and plus signs, because they distinguish mailboxes.
func NormalizeEmail(s string) string { return strings.ToLower(s) }

// ValidEmail reports whether s is an address local@domain of at most 254 bytes, all ASCII. The local part is a dot-atom
// of RFC 5322. The domain has two or more labels of letters, digits and inner hyphens. The last label has two or more
// letters, or is in Punycode (xn--…). ValidEmail refuses quoted local parts, address literals, comments, display names
// and surrounding spaces. No other length is limited.
func ValidEmail(s string) bool { return len(s) <= maxEmailBytes && address.MatchString(s) }
