package game

import (
	"regexp"
	"strings"
)

// maxEmailBytes is the longest address that fits a mail's path (RFC 5321, 4.5.3.1.3, less its angle brackets).
const maxEmailBytes = 254

// address is a dot-atom of RFC 5322, 3.2.3, an @, and labels; the last one is no number, so that an IPv4 address is no
// domain.
var address = regexp.MustCompile(`^` + atom + `(\.` + atom + `)*@(` + label + `\.)+([A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9])$`)

const (
	atom  = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
	label = `[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?`
)

// NormalizeEmail returns the form in which a valid address is stored, compared and returned: lower-case. Dots and plus
// signs are kept, since they tell mailboxes apart.
func NormalizeEmail(s string) string { return strings.ToLower(s) }

// ValidEmail reports whether s is an address local@domain of at most 254 bytes, all ASCII. The local part is a dot-atom
// of RFC 5322. The domain has two or more labels of letters, digits and inner hyphens. The last label has two or more
// letters, or is in Punycode (xn--…). Quoted local parts, address literals, comments, display names and surrounding
// spaces are refused. No other length is limited.
func ValidEmail(s string) bool { return len(s) <= maxEmailBytes && address.MatchString(s) }
