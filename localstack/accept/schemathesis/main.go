// Command schemathesis tests the real service against the contract: `make schemathesis`. It serves the functions on a
// fresh table, and prepares data (a scene) with which every outcome is possible. The tool schemathesis derives valid
// and invalid requests from docs/openapi.yaml, and compares the responses with that file. Any difference is an error. A
// missing outcome is an error, too, because the run then has tested too little.
//
//	main.go            the run, from the engine's start to the result
//	scene.go           players, shows and tokens, and the files that name them
//	answers.go         which answers occurred, by the functions' own log
//	schemathesis.toml  the settings: seed, checks, where ids come from
//
// Everything runs on this machine, and schemathesis sends no report.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

//go:embed schemathesis.toml
var settings []byte

func main() {
	batch.Main("schemathesis", "", func(ctx context.Context) error { return run(ctx, os.Stdout) })
}

func run(ctx context.Context, out io.Writer) (err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	promised, err := contract.LoadRoot()
	if err != nil {
		return err
	}
	program := filepath.Join(template.Root, ".tools", "schemathesis", "bin", "schemathesis")
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%s is missing: `make schemathesis` installs it", program)
	}
	dir, err := os.MkdirTemp("", "ranch-schemathesis-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	answers := newAnswers()
	w, err := world.Open(ctx, world.Config{Folder: dir, Log: answers.read})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	scene, err := layOut(ctx, w)
	if err != nil {
		return fmt.Errorf("laying out the scene: %w", err)
	}
	if err := errors.Join(scene.write(dir), os.WriteFile(filepath.Join(dir, "schemathesis.toml"), settings, 0o600)); err != nil {
		return err
	}
	document, err := os.ReadFile(filepath.Join(template.Root, filepath.FromSlash(contract.FileName)))
	if err != nil {
		return err
	}
	if document, err = contract.Strict(document); err != nil {
		return err
	}
	strict := filepath.Join(dir, "openapi.json")
	if err := os.WriteFile(strict, document, 0o600); err != nil {
		return err
	}
	err = ask(ctx, program, dir, strict, w.API, scene.token, out)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	answers.print(out)
	if err != nil { // schemathesis has stopped early, so an outcome can be missing
		return fmt.Errorf("schemathesis has found violations of the contract (%w)", err)
	}
	if err := scene.changeExternal(ctx); err != nil {
		return err
	}
	return answers.check(promised)
}

// ask runs schemathesis in the folder dir. document is the path of the strict contract, and out gets the output.
func ask(ctx context.Context, program, dir, document, api, token string, out io.Writer) error {
	cmd := exec.Command(program, "--config-file", "schemathesis.toml", "run", document, "--url", api)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACCESS_TOKEN="+token, "NO_PROXY=*", "HYPOTHESIS_STORAGE_DIRECTORY="+filepath.Join(dir, "hypothesis"))
	cmd.Stdout, cmd.Stderr = out, out
	return process.Run(ctx, cmd)
}
