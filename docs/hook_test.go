package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCommitHook checks which messages the hook of `make hooks` accepts.
func TestCommitHook(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"store: refuse negative fees":                      "",
		"store, ranchctl: name the state":                  "",
		"gitignore: ignore .tools":                         "",
		"Merge branch 'main'":                              "",
		"# a comment\nplay: draw each animal\n\nA reason.": "",
		"Refuse negative fees":                             "is not 'package: verb object'",
		"store: refuse":                                    "is not 'package: verb object'",
		"store: Refuse negative fees":                      "is not 'package: verb object'",
		"store: refuse negative fees.":                     "is not 'package: verb object'",
		"":                                                 "is not 'package: verb object'",
		"store: refuse " + strings.Repeat("x", 58):         "",
		"store: refuse " + strings.Repeat("x", 59):         "has 73 characters, at most 72",
	} {
		file := filepath.Join(t.TempDir(), "message")
		require.NoError(t, os.WriteFile(file, []byte(subject+"\n"), 0o600))
		out, err := exec.Command("../infra/githooks/commit-msg", file).CombinedOutput()
		assert.True(t, (err == nil) == (want == "") && strings.Contains(string(out), want), "%q: %v, %s; want %q", subject, err, out, want)
	}
}
