package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hostileName has characters that clear the screen, set the window's title, begin new rows, reverse and hide text, and
// disturb the alignment of tabwriter.
const hostileName = "\x1b[2J\x1b]0;root\x07Ann\r\nBob\tBob\v\f\x00\x7f\u0085\u009b2J \u202eenoN\u202c\u2066\u2069\u200f\u061c" +
	"\u2028\u2029a\u200bb\u200dc\ufeff\u2800\u3164\ufe0f \u00a0\\ ☃😀"

// checkPrintable checks that a terminal prints the text as it is, in this many lines.
func checkPrintable(t rapid.TB, text string, lines int) {
	t.Helper()
	for _, r := range text {
		assert.True(t, r == '\n' || unicode.IsPrint(r) && !strings.ContainsRune("\u2800\u3164\ufe0f", r), "%U is in %q", r, text)
	}
	got := strings.Count(text, "\n")
	assert.True(t, utf8.ValidString(text) && got == lines && strings.HasSuffix(text, "\n"), "%d lines, want %d: %q", got, lines, text)
}

// Errors may quote hostile text that was typed or pasted.
func TestErrorsAreShownHarmlessly(t *testing.T) {
	x := newTool(t)
	const pasted = "\x1b[2J\u202eenon\u009b"
	for _, args := range [][]string{{pasted}, {"user", "get", pasted}, {"season", "list", "--" + pasted}, {"season", "list", "-o", pasted}, {"show", "list", "--endpoint", pasted}} {
		stdout, stderr, exit := x.run(args...)
		assert.True(t, exit == 2 && stdout == "" && strings.Contains(stderr, `\x1b[2J\u202eenon\u009b`),
			"%q: exit %d: %q, %q", args, exit, stdout, stderr)
		checkPrintable(t, stderr, strings.Count(stderr, "\n"))
	}
}

// Whatever texts a record has, it is one aligned row of printable characters, and its JSON decodes to the same texts.
func TestAnyTextIsShownHarmlessly(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]rune("\x00\a\b\t\n\v\f\r\x1b\x7f\u0080\u0085\u009b\u009d\u00a0\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\u2800\u3164\ufe0f\ufeff\ufffd\U000e0041\U0010ffff\\\"é☃😀"))
	valid := rapid.OneOf(rapid.String(), rapid.StringOf(odd))
	anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		type record struct{ Text, After string }
		write := func(format string, records []record) string {
			var out strings.Builder
			a := &app{format: format, out: &out}
			row := func(r record) []any { return []any{r.Text, r.After} }
			require.NoError(t, (listing[record]{"TEXT AFTER", row}).list(a)(records, nil))
			return out.String()
		}
		records := func(texts *rapid.Generator[string]) []record {
			return rapid.SliceOf(rapid.Map(texts, func(s string) record { return record{s, "after"} })).Draw(t, "records")
		}

		bytes := records(rapid.OneOf(valid, anyBytes))
		table := write("table", bytes)
		checkPrintable(t, table, 1+len(bytes))
		column := strings.Index(table, "AFTER")
		for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:] {
			cells := []rune(line)
			assert.True(t, len(cells) >= column && string(cells[column:]) == "after", "row %d is not aligned:\n%s", i, table)
		}

		texts := records(valid)
		encoded := write("json", texts)
		checkPrintable(t, encoded, strings.Count(encoded, "\n"))
		var decoded []record
		err := json.Unmarshal([]byte(encoded), &decoded)
		assert.True(t, err == nil && fmt.Sprintf("%q", decoded) == fmt.Sprintf("%q", texts), "%q decodes to %q, %v", encoded, decoded, err)
	})
}
