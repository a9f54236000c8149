package running

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFindFollowsTheFolder(t *testing.T) {
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	if s, err := Find(); !errors.Is(err, ErrNone) {
		t.Fatalf("before: %v, %v", s, err)
	}
	want := Stack{API: "http://127.0.0.1:3000", Play: "http://127.0.0.1:3001", Endpoint: "http://127.0.0.1:8000", Table: "ranch"}
	withdraw, err := Announce(root, want)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Find(); err != nil || s != want {
		t.Fatalf("while it runs: %v, %v", s, err)
	}
	withdraw()
	if s, err := Find(); !errors.Is(err, ErrNone) {
		t.Fatalf("after: %v, %v", s, err)
	}
}
