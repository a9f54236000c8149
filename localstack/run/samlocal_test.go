package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// buildForSAM stands in for the Makefile. It prints its targets and its environment, and each program prints the name
// of its function.
const buildForSAM = `functions:
	echo "built for $$GOOS $$GOARCH, as $$AWS_ACCESS_KEY_ID in $$AWS_DEFAULT_REGION"
	mkdir -p $(FUNCTIONS_DIR)
	for f in functions/*; do echo $${f##*/} >$(FUNCTIONS_DIR)/$${f##*/}; done
`

// dockerScript answers the one question that ranch-local asks.
const dockerScript = `[ "$*" = "ps --quiet --filter network=ranch --filter label=com.docker.compose.service=localstack" ] && echo 1c4d2f60e5aa`

// samTree makes a working tree with a script in place of SAM. It returns a folder with a script in place of Docker, for
// PATH.
func samTree(t *testing.T) (docker string) {
	t.Helper()
	write(t, 0o700, filepath.Join(tree(t, buildForSAM).Root, samProgram), "#!/bin/sh\necho \"sam $*\"\nenv\n")
	docker = t.TempDir()
	write(t, 0o700, filepath.Join(docker, "docker"), "#!/bin/sh\n"+dockerScript+"\n")
	return docker
}

// addressForLocalStack returns an address with LocalStack's port. On Linux its IP address is unique to this test.
func addressForLocalStack() string {
	address := loopback.Address
	if runtime.GOOS == "linux" {
		address = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), 1+rand.IntN(254), 1+rand.IntN(254))
	}
	return net.JoinHostPort(address, samLocalStack)
}

var takesEverySecret = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })

// TestSAMLocal runs the command twice, in a shell with the settings of another AWS account.
func TestSAMLocal(t *testing.T) {
	sam := filepath.Join(loadTemplate(t).Root, samProgram) // the real one
	program, docker := buildProgram(t, "./localstack/run"), samTree(t)
	standIn(t, addressForLocalStack(), takesEverySecret)
	port := freePort(t)
	for name, value := range map[string]string{
		"ENGINE": "localstack", "PORT": fmt.Sprint(port), "SEED": "none", "PATH": docker + string(os.PathListSeparator) + os.Getenv("PATH"),
		"AWS_PROFILE": "elsewhere-profile", "AWS_DEFAULT_REGION": "xx-elsewhere-1", "AWS_REGION": "xx-elsewhere-1",
		"AWS_ACCESS_KEY_ID": "AKIAREAL", "AWS_SECRET_ACCESS_KEY": "real", "AWS_SESSION_TOKEN": "real",
	} {
		t.Setenv(name, value)
	}
	var out string
	for range 2 {
		out, _ = runProgram(t, 0, program, "sam-local")
	}
	template, err := filepath.Abs(filepath.Join(samFolder, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out, "\n")
	for _, want := range []string{
		"built for linux " + runtime.GOARCH + ", as test in us-east-1",
		fmt.Sprintf("sam local start-api --template-file %s --port %d --region us-east-1 --docker-network ranch --warm-containers LAZY", template, port),
		"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no line %q:\n%s", want, out)
		}
	}
	for _, never := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "xx-elsewhere-1", "AKIAREAL", "elsewhere-profile"} {
		if strings.Contains(out, never) {
			t.Errorf("SAM finds %s", never)
		}
	}
	checkCopy(t, template)
	if _, err := exec.LookPath(sam); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: `make validate` installs what asks SAM whether the copy is a template: ", err)
	}
	validate := exec.CommandContext(t.Context(), sam, "validate", "--template-file", template)
	validate.Env = append(samEnviron(os.Environ()), "SAM_CLI_TELEMETRY=0")
	if out, err := validate.CombinedOutput(); err != nil || !strings.Contains(string(out), "is a valid SAM Template") {
		t.Errorf("%v: %s", err, out)
	}
}

// checkCopy compares the copied template with the real one.
func checkCopy(t *testing.T, path string) {
	t.Helper()
	original := loadTemplate(t)
	copied, err := samtemplate.Load(path)
	if err != nil || len(copied.Functions) != len(original.Functions) {
		t.Fatal(err, len(copied.Functions))
	}
	for i, f := range copied.Functions {
		of := original.Functions[i]
		want, err := original.Resolve(of.Environment, stack.PhysicalIDs(engine.LocalStack))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(want, map[string]string{"AWS_ENDPOINT_URL": "http://localstack:4566"})
		got, err := copied.Resolve(f.Environment, nil) // with plain values only
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("the environment of %s, %v (-want +got):\n%s", f.LogicalID, err, diff)
		}
		if f.Architectures[0] != samArchitectures[runtime.GOARCH] {
			t.Errorf("%s is for %v", f.LogicalID, f.Architectures)
		}
		program, err := os.ReadFile(filepath.Join(copied.Root, f.LogicalID, "bootstrap"))
		if err != nil || strings.TrimSpace(string(program)) != filepath.Base(of.Folder) {
			t.Errorf("the program of %s is that of %q, %v", f.LogicalID, program, err)
		}
		f.Environment, f.Architectures = of.Environment, of.Architectures
		if diff := cmp.Diff(of, f); diff != "" {
			t.Errorf("the rest of %s (-original +copy):\n%s", f.LogicalID, diff)
		}
	}
	text, err := os.ReadFile(path)
	if code := "\n            CodeUri: Login\n"; err != nil || strings.Count(string(text), code) != 1 {
		t.Errorf("the code is elsewhere: %v", err)
	}
	if err := os.Remove(filepath.Join(samPrograms(original), "login")); err != nil {
		t.Fatal(err)
	}
	if _, err := copyTemplate(original, stack.PhysicalIDs("localstack"), "x86_64"); err == nil || !strings.Contains(err.Error(), "cannot prepare the function Login for SAM: ") {
		t.Errorf("without a program the error is %v", err)
	}
}

// TestSAMLocal_saysWhatIsMissing checks that an error of one line names each missing part, before anything is built.
func TestSAMLocal_saysWhatIsMissing(t *testing.T) {
	docker := samTree(t)
	standIn(t, addressForLocalStack(), takesEverySecret)
	stands := os.Getenv("AWS_ENDPOINT_URL")
	for name, c := range map[string]struct {
		port                   int
		endpoint, docker, want string
	}{
		"the port":             {listen(t), stands, dockerScript, "is in use: end the program that listens there, or choose another port with PORT="},
		"the right LocalStack": {0, "http://127.0.0.1:4510", dockerScript, "AWS_ENDPOINT_URL=http://127.0.0.1:4510 is not the LocalStack of localstack/run/docker-compose.yaml, which the functions' containers use: unset AWS_ENDPOINT_URL"},
		"one on this machine":  {0, "http://10.0.0.1:4566", dockerScript, "AWS_ENDPOINT_URL=http://10.0.0.1:4566 is not the LocalStack of localstack/run/docker-compose.yaml, which the functions' containers use: unset AWS_ENDPOINT_URL"},
		"any LocalStack":       {0, "http://" + addressForLocalStack(), dockerScript, "no LocalStack answers at http://127."},
		"Docker":               {0, stands, "exit 1", "cannot reach Docker: install or start it, or use `make run`, which needs no Docker"},
		"LocalStack in Docker": {0, stands, "exit 0", "no LocalStack runs in Docker's network ranch: start it with `docker compose -f localstack/run/docker-compose.yaml up -d --wait`"},
	} {
		t.Setenv("AWS_ENDPOINT_URL", c.endpoint)
		t.Setenv("PATH", docker)
		write(t, 0o700, filepath.Join(docker, "docker"), "#!/bin/sh\n"+c.docker+"\n")
		var out strings.Builder
		err := serveWithSAM(t.Context(), config{port: c.port, engine: "localstack"}, &out)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") && name != "any LocalStack" || out.Len() > 0 {
			t.Errorf("without %s: %v after %q, not the line %q", name, err, &out, c.want)
		}
	}
}
