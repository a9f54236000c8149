package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// What players and operators have given names to, ranchctl shows on terminals, and a terminal obeys some of it: a ranch
// can be called "\x1b[2J". So nothing is written that is no printable rune (unicode.IsPrint): controls, marks that turn
// text around or have no width, spaces other than U+0020, line separators, and bytes that are no UTF-8.

// visible is the text with Go's escapes, such as \x1b and \u202e, in the place of what is not printable. They say what
// was there, so that names that differ do not look alike to an operator who is about to ban one of them; one stand-in
// for everything would hide that. A backslash stays as it is: -o json has the exact text.
func visible(text string) string { return escape(text, "") }

// visibleMessage is visible for messages of our own, which may have several lines.
func visibleMessage(text string) string { return escape(text, "\n\t") }

func escape(text, keep string) string {
	var out strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case unicode.IsPrint(r), strings.ContainsRune(keep, r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}

// visibleJSON is encoded JSON with JSON's own escapes in the place of what is not printable: it decodes to the same.
func visibleJSON(encoded string) string {
	var out strings.Builder
	for _, r := range encoded {
		if r == '\n' || unicode.IsPrint(r) { // line breaks only stand between values
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
