package samlocal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// pretend makes a shell script the only program of this name, and the only program of all.
func pretend(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestCheckDocker(t *testing.T) {
	for name, c := range map[string]struct{ program, script, want string }{
		"missing":       {"podman", "", "docker is missing"},
		"not there":     {"docker", "echo Odd news >&2; echo Cannot connect to the Docker daemon >&2; exit 1", "no Docker answers: start it, or use `make run`, which needs none: Cannot connect"},
		"no LocalStack": {"docker", "exit 0", "no LocalStack is in Docker's network ranch: `docker compose -f localstack/run/docker-compose.yaml up -d --wait`"},
		"fine":          {"docker", `[ "$*" = "ps --quiet --filter network=ranch --filter label=com.docker.compose.service=localstack" ] && echo 1c4d2f60e5aa`, ""},
	} {
		pretend(t, c.program, c.script)
		err := CheckDocker(t.Context())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, without %q in one line", name, err, c.want)
		}
	}
}

func TestCheckDocker_whenAskedToStop(t *testing.T) {
	pretend(t, "docker", "sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := CheckDocker(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestCheckEndpoint(t *testing.T) {
	for endpoint, fine := range map[string]bool{
		"http://127.0.0.1:4566": true, "http://localhost:4566/": true, "http://[::1]:4566": true,
		"http://127.0.0.1:4510": false, "http://localstack.test:4566": false, "http://10.0.0.1:4566": false, "http://localhost": false, "": false, "::": false,
	} {
		if err := CheckEndpoint(endpoint); (err == nil) != fine || err != nil && !strings.HasSuffix(err.Error(), "AWS_ENDPOINT_URL="+endpoint+": unset it") {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}

func TestHostArchitecture(t *testing.T) {
	got, err := HostArchitecture(t.Context())
	if want := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH]; err != nil || got.Lambda != want || got.Go != runtime.GOARCH {
		t.Errorf("this machine's is %+v, %v", got, err)
	}
	pretend(t, "go", "echo riscv64")
	if _, err := HostArchitecture(t.Context()); err == nil || !strings.Contains(err.Error(), "riscv64") {
		t.Errorf("of a machine that Lambda has no image for: %v", err)
	}
}

func TestEnviron(t *testing.T) {
	before := []string{
		"HOME=/home/me", "AWS_PROFILE=production", "AWS_DEFAULT_PROFILE=production", "AWS_DEFAULT_REGION=eu-west-1", "AWS_REGION=eu-west-1",
		"AWS_ACCESS_KEY_ID=AKIAREAL", "AWS_SECRET_ACCESS_KEY=real", "AWS_SESSION_TOKEN=real", "AWS_ENDPOINT_URL=http://127.0.0.1:4566", "DOCKER_HOST=unix:///x",
	}
	given := slices.Clone(before)
	want := []string{
		"HOME=/home/me", "DOCKER_HOST=unix:///x", "AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	}
	if got := Environ(given); !slices.Equal(got, want) {
		t.Errorf("got %q, not %q", got, want)
	}
	if !slices.Equal(given, before) {
		t.Error("it changes what it is given")
	}
}

// sam returns the program that the Makefile installs.
func sam(t *testing.T, root string) string {
	t.Helper()
	path := filepath.Join(root, Program)
	if _, err := exec.LookPath(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: `make validate` installs what this test needs: ", err)
	}
	return path
}
