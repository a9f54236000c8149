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
// can be called "\x1b[2J". So nothing is written but what shows: no controls, marks that turn text around or have no
// width, spaces other than U+0020, line separators, nor bytes that are no UTF-8.

// visible is the text with Go's escapes, such as \x1b and \u202e, in the place of what is not printable. They say what
// was there, so that names that differ in such a thing do not look alike to an operator who is about to ban one of
// them; letters of different scripts still may, which only ids tell apart. A backslash stays as it is: -o json has the
// exact text.
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
		case shows(r), strings.ContainsRune(keep, r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return out.String()
}

// shows reports whether a rune has a picture of its own. Some that count as letters or symbols have none: fillers such
// as U+3164, selectors of a variant of the rune before them, and the empty Braille pattern.
func shows(r rune) bool {
	return unicode.IsPrint(r) && r != '\u2800' && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// visibleJSON is encoded JSON with JSON's own escapes in the place of what is not printable: it decodes to the same.
func visibleJSON(encoded string) string {
	var out strings.Builder
	for _, r := range encoded {
		if r == '\n' || shows(r) { // line breaks only stand between values
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
