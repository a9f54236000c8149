package terminal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzVisible: output to a terminal is printable whatever name a player chose. Printable ASCII stays as it is, and JSON
// keeps its meaning.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"", "Sunny Acres", "\x1b[2J", "\u202e", "\xff", "\u2028\u2029", "\ufeff", "é\u0301", "\u3164", "\u2800", "😀\ufe0f", "\u009b31m", `\x1b`, "a\r\nb\t", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		printable := func(s, but string) bool {
			return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(but, r) })
		}
		shown := Visible(text)
		assert.True(t, printable(shown, "") && Visible(shown) == shown, "%q is shown as %q", text, shown)
		if !printable(VisibleMessage(text), "\n\t") {
			t.Errorf("%q is said as %q", text, VisibleMessage(text))
		}
		assert.True(t, strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || shown == text,
			"%q is shown as %q", text, shown)
		encoded, err := json.MarshalIndent(map[string]any{text: []string{text}}, "", "  ")
		require.NoError(t, err)
		var want, got any
		visible := VisibleJSON(string(encoded))
		assert.True(t, json.Unmarshal(encoded, &want) == nil && json.Unmarshal([]byte(visible), &got) == nil && reflect.DeepEqual(got, want) && printable(visible, "\n"),
			"%s is shown as %s", encoded, visible)
	})
}
