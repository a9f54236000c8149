// Package terminal makes texts safe to write to a terminal, shows progress there, and reads answers.
//
// Tools show names that players have chosen, and terminals obey control characters in them: "\x1b[2J" clears the
// screen. So tools write only visible characters and the space U+0020. They write no control characters, no marks that
// reverse the text or have no width, no other spaces, no line separators, and no bytes that are not UTF-8.
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

// Visible returns the text with Go's escapes, such as \x1b and \u202e, in place of characters that are not visible.
// Names that differ in such a character then look different to an operator who is about to ban a player. Letters of
// different scripts may still look alike: only ids distinguish such players. A backslash stays as it is, so that the
// result is ambiguous. The output of `ranchctl -o json` is exact.
func Visible(text string) string { return escape(text, "") }

// VisibleMessage returns a tool's own message as Visible does, but keeps its line breaks and tabs.
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

// shows reports whether a rune is visible by itself, or is the space U+0020. Some runes count as letters or symbols but
// are invisible: fillers such as U+3164, variation selectors, and the empty Braille pattern.
func shows(r rune) bool {
	return unicode.IsPrint(r) && r != '\u2800' && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// VisibleJSON returns the JSON text with JSON's escapes for characters that are not visible. It decodes to the same.
func VisibleJSON(encoded string) string {
	var out strings.Builder
	for _, r := range encoded {
		if r == '\n' || shows(r) { // in JSON, line breaks are only between values
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// Coloured reports whether the file is a terminal and the environment variable NO_COLOR is empty.
func Coloured(f *os.File) bool { return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd())) }
