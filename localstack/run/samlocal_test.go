package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/samlocal"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// What stands for the Makefile and for SAM says what it is asked and finds in its environment.
const (
	buildForSAM = `functions:
	echo "built for $$GOOS $$GOARCH, as $$AWS_ACCESS_KEY_ID in $$AWS_DEFAULT_REGION"
	mkdir -p $(FUNCTIONS_DIR)
	for f in functions/*; do touch $(FUNCTIONS_DIR)/$${f##*/}; done
`
	pretendedSAM    = "#!/bin/sh\necho \"sam $*\"\nenv\n"
	pretendedDocker = "#!/bin/sh\necho 1c4d2f60e5aa\n"
)

// standsForLocalStack answers as a LocalStack does, at its port: with an engine, and with a Secrets Manager that takes
// every secret.
func standsForLocalStack(t *testing.T) string {
	t.Helper()
	e := startEngine(t, engine.Options{})
	at, err := url.Parse(e.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	database := loopback.Forward(at)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") == "secretsmanager.CreateSecret" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		database.ServeHTTP(w, r)
	}))
	if server.Listener, err = net.Listen("tcp", addressForLocalStack()); err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// addressForLocalStack has LocalStack's port, where the system has one for every test.
func addressForLocalStack() string {
	address := loopback.Address
	if runtime.GOOS == "linux" {
		address = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), 1+rand.IntN(254), 1+rand.IntN(254))
	}
	return net.JoinHostPort(address, "4566")
}

// samTree makes a working tree in which SAM is installed, and returns a folder for PATH in which Docker is.
func samTree(t *testing.T) (path string) {
	t.Helper()
	here := tree(t, buildForSAM)
	path = t.TempDir()
	for file, content := range map[string]string{
		filepath.Join(here.Root, samlocal.Program): pretendedSAM,
		filepath.Join(path, "docker"):              pretendedDocker,
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return path + string(os.PathListSeparator) + os.Getenv("PATH")
}

// TestSAMLocal runs the command in the shell of somebody who works with AWS elsewhere.
func TestSAMLocal(t *testing.T) {
	program, path := buildProgram(t, "./localstack/run"), samTree(t)
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), program, "sam-local")
	cmd.Env = append(os.Environ(), "ENGINE=localstack", fmt.Sprintf("PORT=%d", port), "SEED=none", "PATH="+path,
		"AWS_ENDPOINT_URL="+standsForLocalStack(t), "AWS_PROFILE=elsewhere-profile", "AWS_DEFAULT_REGION=xx-elsewhere-1", "AWS_REGION=xx-elsewhere-1",
		"AWS_ACCESS_KEY_ID=AKIAREAL", "AWS_SECRET_ACCESS_KEY=real", "AWS_SESSION_TOKEN=real")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	template, err := filepath.Abs(filepath.Join(samlocal.Folder, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	architecture, err := samlocal.HostArchitecture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for _, want := range []string{
		"built for linux " + architecture.Go + ", as test in us-east-1",
		fmt.Sprintf("sam local start-api --template-file %s --port %d --region us-east-1 --docker-network ranch --warm-containers LAZY", template, port),
		"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no line %q", want)
		}
	}
	for _, never := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "xx-elsewhere-1", "AKIAREAL", "elsewhere-profile"} {
		if strings.Contains(string(out), never) {
			t.Errorf("SAM finds %s", never)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
	served, err := samtemplate.Load(template)
	if err != nil {
		t.Fatal(err)
	}
	variables, err := served.Resolve(served.Functions[0].Environment, nil)
	if err != nil || variables["TABLE_NAME"] != stack.TableName || variables["SIGNING_KEYS_SECRET"] != stack.SecretName {
		t.Errorf("the functions find %v, %v", variables, err)
	}
}

// TestSAMLocal_saysWhatIsMissing: each in one line, before anything is built.
func TestSAMLocal_saysWhatIsMissing(t *testing.T) {
	program, path := buildProgram(t, "./localstack/run"), samTree(t)
	stand, port := "AWS_ENDPOINT_URL="+standsForLocalStack(t), fmt.Sprintf("PORT=%d", freePort(t))
	taken := listen(t)
	without := t.TempDir() // Docker, and everything else
	for name, c := range map[string]struct {
		variables []string
		want      string
	}{
		"LocalStack":           {[]string{port, "PATH=" + path, "AWS_ENDPOINT_URL=http://" + addressForLocalStack()}, "no LocalStack answers at http://127."},
		"the right LocalStack": {[]string{port, "PATH=" + path, "AWS_ENDPOINT_URL=http://127.0.0.1:4510"}, "the containers use the LocalStack of localstack/run/docker-compose.yaml"},
		"Docker":               {[]string{port, "PATH=" + without, stand}, "docker is missing"},
		"the port":             {[]string{fmt.Sprintf("PORT=%d", taken), "PATH=" + path, stand}, fmt.Sprintf("port %d is in use", taken)},
		"ENGINE":               {[]string{port, "PATH=" + path, stand, "ENGINE="}, "sam-local is for a LocalStack"},
	} {
		cmd := exec.CommandContext(t.Context(), program, "sam-local")
		cmd.Env = append(os.Environ(), append([]string{"ENGINE=localstack", "SEED=none"}, c.variables...)...)
		out, err := cmd.CombinedOutput()
		text := string(out)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "ranch-local: "+c.want) {
			t.Errorf("without %s: %v with the output %q, not the line %q", name, err, text, c.want)
		}
	}
}
