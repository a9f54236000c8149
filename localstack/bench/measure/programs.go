package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// compile makes all programs, with the Makefile's own flags and the variables in its environment.
func compile(ctx context.Context, t *samtemplate.Template, dir string, variables ...string) error {
	for _, target := range []string{"functions", "empty-function"} {
		if err := build.Make(ctx, t.Root, os.Stderr, append(os.Environ(), variables...), target, "FUNCTIONS_DIR="+dir); err != nil {
			return err
		}
	}
	return nil
}

// compileProbed makes all programs with a probe in them: the overlay adds a file to each.
func compileProbed(ctx context.Context, t *samtemplate.Template, dir string) error {
	added := filepath.Join(dir, "probed.go")
	replace := map[string]string{filepath.Join(t.Root, "localstack", "bench", "measure", "empty", "probed.go"): added}
	for _, f := range t.Functions {
		replace[filepath.Join(t.Root, filepath.FromSlash(f.Folder), "probed.go")] = added
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	const text = "package main\n\nimport _ \"github.com/ranch-game/ranch/localstack/bench/measure/probe\"\n"
	overlay := filepath.Join(dir, "overlay.json")
	if err := errors.Join(os.WriteFile(added, []byte(text), 0o644), os.WriteFile(overlay, content, 0o644)); err != nil {
		return err
	}
	return compile(ctx, t, dir, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
}
