package running

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindFollowsTheFolder(t *testing.T) {
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o755))
	t.Chdir(below)
	if s, err := Find(); !errors.Is(err, ErrNone) {
		t.Fatalf("before: %v, %v", s, err)
	}
	want := Stack{API: "http://127.0.0.1:3000", Play: "http://127.0.0.1:3001", Endpoint: "http://127.0.0.1:8000", Table: "ranch"}
	withdraw, err := Announce(root, want)
	require.NoError(t, err)
	s, err := Find()
	require.True(t, err == nil && s == want, "while it runs: %v, %v", s, err)
	withdraw()
	s, err = Find()
	require.ErrorIs(t, err, ErrNone, "after: %v, %v", s, err)
}
