package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/infra/signingkeys/signingkeystest"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// screen is a terminal for tests: several goroutines can write to it, and a test can read its text.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *screen) shows(text string) func() bool {
	return func() bool { return strings.Contains(s.String(), text) }
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := loopback.FreePort(loopback.Address)
	require.NoError(t, err)
	return port
}

// usual returns the config of the engine that ENGINE names, with free ports and without other variables.
func usual(t *testing.T) config {
	t.Helper()
	kind, err := engine.KindFromEnv()
	require.NoError(t, err)
	return config{port: freePort(t), playPort: freePort(t), dbPort: freePort(t), seed: true, engine: kind}
}

// checkGone fails the test if anything still listens on the stack's ports.
func checkGone(t *testing.T, cfg config) {
	t.Helper()
	for _, port := range []int{cfg.port, cfg.playPort, cfg.dbPort} {
		err := loopback.CheckPort(loopback.Address, port)
		assert.NoError(t, err, "afterwards")
	}
}

// openStack starts a stack that ends with the test.
func openStack(t *testing.T, cfg config) (s *session, out *screen) {
	t.Helper()
	s, out = &session{}, &screen{}
	err := s.open(t.Context(), cfg, out, newConsole(out, false))
	t.Cleanup(func() {
		assert.NoError(t, s.close())
		checkGone(t, cfg)
	})
	require.NoError(t, err, "%s", out)
	return s, out
}

func loadTemplate(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	return template
}

func write(t *testing.T, mode os.FileMode, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
}

// buildNothing is a Makefile that builds functions without content.
const buildNothing = `functions:
	mkdir -p .build/functions
	for f in functions/*; do touch .build/functions/$${f##*/}; done
`

// tree makes a working tree with the given Makefile, template.yaml, and links to the real functions, infra, localstack
// and docs. It changes into the tree, which has no TypeScript client.
func tree(t *testing.T, makefile string) *samtemplate.Template {
	t.Helper()
	real, root := loadTemplate(t).Root, t.TempDir()
	template, err := os.ReadFile(filepath.Join(real, samtemplate.FileName))
	require.NoError(t, err)
	write(t, 0o600, filepath.Join(root, samtemplate.FileName), string(template))
	write(t, 0o600, filepath.Join(root, "Makefile"), ".PHONY: engine functions\nengine:\n"+makefile)
	for _, folder := range []string{"functions", "infra", "localstack", "docs"} {
		require.NoError(t, os.Symlink(filepath.Join(real, folder), filepath.Join(root, folder)))
	}
	t.Chdir(root)
	return loadTemplate(t)
}

// treeOfPrograms makes a working tree with the real functions. They are built in a folder of these tests, so that the
// developer's programs in .build/functions stay, and before the stack starts, since that may take long.
func treeOfPrograms(t *testing.T) *samtemplate.Template {
	t.Helper()
	root := loadTemplate(t).Root
	programs := filepath.Join(root, ".build", "run-test")
	require.NoError(t, build.Make(t.Context(), root, t.Output(), "functions", "FUNCTIONS_DIR="+programs))
	return tree(t, fmt.Sprintf("functions:\n\tmkdir -p .build && ln -sfn %q .build/functions\n", programs))
}

// buildProgram builds the program of a package and returns its path.
func buildProgram(t *testing.T, of string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(of))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, of)
	build.Dir = loadTemplate(t).Root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%v\n%s", err, out)
	return program
}

func startEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Start(t.Context(), engine.Options{})
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

// startLocalStack starts a stand-in for LocalStack: the embedded engine, and a Secrets Manager with one secret. Its
// address is AWS_ENDPOINT_URL until the test ends.
func startLocalStack(t *testing.T) *signingkeystest.Manager {
	t.Helper()
	secrets := signingkeystest.New(t, time.Now, `{"current":"k1","k1":"`+signingkeys.NewKey()+`"}`)
	tablesAt, err := url.Parse(startEngine(t).Endpoint())
	require.NoError(t, err)
	secretsAt, err := url.Parse(secrets.URL)
	require.NoError(t, err)
	toTables, toSecrets := loopback.Forward(tablesAt), loopback.Forward(secretsAt)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch target := r.Header.Get("X-Amz-Target"); {
		case strings.HasPrefix(target, "DynamoDB_"):
			toTables.ServeHTTP(w, r)
		case target == "secretsmanager.CreateSecret":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"__type":"ResourceExistsException"}`)
		default:
			toSecrets.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	return secrets
}
