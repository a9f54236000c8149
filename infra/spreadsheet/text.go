// Package spreadsheet reads and writes CSV files (RFC 4180) as spreadsheets do.
package spreadsheet

import "strings"

// Text returns a text for a cell. If it begins like a formula, Text puts an apostrophe before it, because spreadsheets
// would compute it (OWASP's page "CSV Injection"). It does the same after each semicolon, because the spreadsheets of
// many countries split even quoted texts there.
func Text(text string) string {
	parts := strings.Split(text, ";")
	for i, part := range parts {
		if beginsFormula(part) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// Original returns the text of a cell that Text has made.
func Original(cell string) string {
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		if text, is := strings.CutPrefix(part, "'"); is && beginsFormula(text) {
			parts[i] = text
		}
	}
	return strings.Join(parts, ";")
}

func beginsFormula(text string) bool { return strings.IndexAny(text, "=+-@＝＋－＠") == 0 }
