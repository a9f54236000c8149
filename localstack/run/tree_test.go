package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// buildNothing is a Makefile whose functions are there and do nothing.
const buildNothing = `functions:
	mkdir -p .build/functions
	for f in functions/*; do touch .build/functions/$${f##*/}; done
`

// tree makes a working tree of the real template, functions, engine and page and the given Makefile, and moves into it.
// Its client is no real one, but it is built.
func tree(t *testing.T, makefile string) *samtemplate.Template {
	t.Helper()
	real, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(filepath.Join(real.Root, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, content := range map[string]string{samtemplate.FileName: string(template), "Makefile": ".PHONY: functions\n" + makefile} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"functions", "localstack", "docs"} {
		if err := os.Symlink(filepath.Join(real.Root, folder), filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
	}
	dist := filepath.Join(root, "shared", "client", "typescript", "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dist, "index.js"), []byte("// the client\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	here, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	return here
}
