// Package terminal is about what may be written to one.
//
// Players and operators have given names to what tools show, and a terminal obeys some of it: a ranch can be called
// "\x1b[2J". So nothing is written but what shows: no controls, marks that turn text around or have no width, spaces
// other than U+0020, line separators, nor bytes that are no UTF-8.
package terminal

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"
)

// Visible is the text with Go's escapes, such as \x1b and \u202e, in the place of what is not printable. They show the
// replaced character, so that names which differ in one do not look alike to an operator who is about to ban one of
// them. Letters of different scripts may still look alike; only ids distinguish these. A backslash stays as it is: -o
// json has the exact text.
func Visible(text string) string { return escape(text, "") }

// VisibleMessage is Visible for messages of our own, which may have several lines.
func VisibleMessage(text string) string { return escape(text, "\n\t") }

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

// VisibleJSON is encoded JSON with JSON's own escapes in the place of what is not printable: it decodes to the same.
func VisibleJSON(encoded string) string {
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

// Coloured reports whether the file is a terminal whose user has not refused colours.
func Coloured(f *os.File) bool { return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd())) }
