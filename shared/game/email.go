package game

import "strings"

// maxEmailBytes is the longest address that fits a mail's path (RFC 5321, 4.5.3.1.3, less its angle brackets).
const maxEmailBytes = 254

// NormalizeEmail returns the form in which a valid address is stored, compared and returned: lower-case. Dots and plus
// signs are kept, since they tell mailboxes apart.
func NormalizeEmail(s string) string { return strings.ToLower(s) }

// ValidEmail reports whether s is an address local@domain of at most 254 bytes, all ASCII. The local part is a dot-atom
// of RFC 5322; the domain has two or more labels of letters, digits and inner hyphens, and the last one is of two or
// more letters, or in Punycode (xn--…). Quoted local parts, address literals, comments, display names and surrounding
// spaces are refused. No other length is limited.
func ValidEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	return found && len(s) <= maxEmailBytes && isDotAtom(local) && isDomain(domain)
}

func isDotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return !isAtomText(r) }) {
			return false
		}
	}
	return true
}

func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isAlphanumeric(r) && r != '-' }) {
			return false
		}
	}
	return isTopLevel(labels[len(labels)-1])
}

// isTopLevel reports whether the label, already known to be one, may be the last: so that an IPv4 address is no domain.
func isTopLevel(label string) bool {
	const punycode = "xn--"
	if len(label) > len(punycode) && strings.EqualFold(label[:len(punycode)], punycode) {
		return true
	}
	return len(label) >= 2 && !strings.ContainsFunc(label, func(r rune) bool { return !isLetter(r) })
}

// isAtomText reports whether r is atext of RFC 5322, 3.2.3.
func isAtomText(r rune) bool {
	return isAlphanumeric(r) || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

func isAlphanumeric(r rune) bool { return isLetter(r) || '0' <= r && r <= '9' }

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
