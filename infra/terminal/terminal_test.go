package terminal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Visible characters stay as they are. Different invisible ones get different escapes.
func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Sunny Acres": "Sunny Acres", `Ränch "of" <b>\ 牧場 ☃😀 e` + "\u0301": `Ränch "of" <b>\ 牧場 ☃😀 e` + "\u0301", "\ufffd": "\ufffd",
		"\xff": `\xff`, "\u00ff": "ÿ", "\xed\xa0\x80": `\xed\xa0\x80`, "a\xe2\x80": `a\xe2\x80`, "\u2028": `\u2028`, "\u200e": `\u200e`, "\U000e0041": `\U000e0041`,
		"\x1b": `\x1b`, "\u009b": `\u009b`, "\n": `\n`, "\t": `\t`, "\u3000": `\u3000`,
	} {
		assert.Equal(t, want, Visible(text), "%q is shown as", text)
	}
	got := VisibleMessage("one\n\ttwo \x1b[2J\r")
	assert.Equal(t, "one\n\ttwo "+`\x1b[2J\r`, got, "a message is shown as %q", got)
}

func TestColoured_notInAFile(t *testing.T) {
	t.Parallel()
	file, err := os.Create(t.TempDir() + "/log")
	require.NoError(t, err)
	defer file.Close()
	assert.False(t, Coloured(file), "a file gets colours")
}
