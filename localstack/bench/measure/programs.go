package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// emptyFunction is the function with which the others are compared.
var emptyFunction = samtemplate.Function{
	LogicalID: "Empty", Folder: "localstack/bench/measure/empty", Method: http.MethodPost, Path: "/empty/{id}", MemoryMB: 256, Timeout: time.Minute,
}

// program returns the path of a function's program below dir, the folder for which it was compiled.
func program(dir, name string) string { return filepath.Join(dir, ".build", "functions", name) }

// compile builds all programs into dir, with the Makefile's flags and with variables (NAME=value) in the environment.
func compile(ctx context.Context, t *samtemplate.Template, dir string, variables ...string) error {
	for _, target := range []string{"functions", "empty-function"} {
		if err := build.Make(ctx, t.Root, os.Stderr, append(os.Environ(), variables...), target, "FUNCTIONS_DIR="+program(dir, "")); err != nil {
			return err
		}
	}
	return nil
}

// compileProbed builds all programs into dir, with an overlay that adds package probe to each program.
func compileProbed(ctx context.Context, t *samtemplate.Template, dir string) error {
	texts := map[string]string{}
	for _, f := range t.Functions {
		texts[filepath.Join(t.Root, filepath.FromSlash(f.Folder), "probed.go")] =
			"package main\n\nimport _ \"github.com/ranch-game/ranch/localstack/bench/measure/probe\"\n"
	}
	overlay, err := build.Overlay(dir, texts)
	if err != nil {
		return err
	}
	return compile(ctx, t, dir, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
}

// starts is the number of times that each program is started.
const starts = 41

// medianStarts returns, for each program, the median time from its start to its first request for an invocation. It
// starts the programs in turn, so that other work on the machine affects all of them alike.
func medianStarts(ctx context.Context, t *samtemplate.Template, dir string) (map[string]time.Duration, error) {
	asked := make(chan time.Time, 1)
	lambda := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost { // a program reads the table's layout number from DynamoDB
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			_, _ = io.WriteString(w, "{}")
			return
		}
		asked <- time.Now()
		<-request.Context().Done()
	}))
	defer lambda.Close()
	environment := []string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(lambda.URL, "http://"), "AWS_REGION=" + running.Region, "AWS_ACCESS_KEY_ID=" + running.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + running.SecretAccessKey, "TABLE_NAME=measure", "SIGNING_KEYS_SECRET=local:development", "AWS_ENDPOINT_URL=" + lambda.URL,
	}
	all, medians := map[string][]time.Duration{}, map[string]time.Duration{}
	for range starts {
		for _, f := range t.Endpoints() {
			name := path.Base(f.Folder)
			cmd := exec.Command(program(dir, name))
			cmd.Stderr, cmd.Env = os.Stderr, environment
			begin := time.Now()
			child, err := process.Start(cmd)
			if err != nil {
				return nil, err
			}
			select {
			case at := <-asked:
				all[name] = append(all[name], at.Sub(begin))
			case <-child.Done():
				err = fmt.Errorf("%s ended at its start", name)
			case <-ctx.Done():
				err = ctx.Err()
			}
			if child.Stop(0); err != nil {
				return nil, err
			}
		}
	}
	for name, took := range all {
		slices.Sort(took)
		medians[name] = took[len(took)/2]
	}
	return medians, nil
}
