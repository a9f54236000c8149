package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// emptyFunction is the function with which the others are compared.
var emptyFunction = samtemplate.Function{
	LogicalID: "Empty", Folder: "localstack/bench/measure/empty", Method: http.MethodPost, Path: "/empty/{id}", MemoryMB: 256, Timeout: time.Minute,
}

// program returns the path of a function's program below dir, the folder for which it was compiled.
func program(dir, name string) string { return filepath.Join(dir, ".build", "functions", name) }

// compileProbed builds all programs with a probe into dir, with the Makefile's own flags. It uses an overlay, which
// adds a file to each program.
func compileProbed(ctx context.Context, t *samtemplate.Template, dir string) error {
	added, overlay, replace := filepath.Join(dir, "probed.go"), filepath.Join(dir, "overlay.json"), map[string]string{}
	for _, f := range t.Functions {
		replace[filepath.Join(t.Root, filepath.FromSlash(f.Folder), "probed.go")] = added
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	const text = "package main\n\nimport _ \"github.com/ranch-game/ranch/localstack/bench/measure/probe\"\n"
	err = errors.Join(err, os.MkdirAll(dir, 0o755), os.WriteFile(added, []byte(text), 0o644), os.WriteFile(overlay, content, 0o644))
	if err != nil {
		return err
	}
	variables := append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	for _, target := range []string{"functions", "empty-function"} {
		if err := build.Make(ctx, t.Root, os.Stderr, variables, target, "FUNCTIONS_DIR="+program(dir, "")); err != nil {
			return err
		}
	}
	return nil
}
