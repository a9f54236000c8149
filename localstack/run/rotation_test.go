package main

import (
	"bytes"
	"encoding/json"
	"errors"
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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// TestRun_keysAreRotated rotates the keys under live sessions: the functions' processes go on, and nobody is logged
// out. They go by keys for a second instead of five minutes, and the new key waits for three seconds instead of ten
// minutes.
func TestRun_keysAreRotated(t *testing.T) {
	startMotoWithAnEngine(t)
	cfg := ports(t)
	cfg.engine, cfg.processes = engine.LocalStack, 2
	ranchctl := buildRanchctl(t)
	editTemplate(t, treeOfPrograms(t).Root, "          SIGNING_KEYS_SECRET: ", "          SIGNING_KEYS_MAX_AGE: 1s\n          SIGNING_KEYS_SECRET: ")
	out, stop := runInBackground(t, cfg)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the stack:\n%s", out)
		}
	})
	eventually(t, "the stack is ready", out.shows("\nReady: "))
	s := sessions{t: t, api: fmt.Sprintf("http://127.0.0.1:%d", cfg.port)}

	before := s.register()
	s.mustBeSignedWith("k1", before.Token, before.RefreshToken, s.login().Token, s.refresh(before.RefreshToken))
	s.good(before.Token)

	listed := ranchctl(0, "keys", "rotate", "--signs-in", "3s", "-o", "json")
	var keys []signingkeys.Key
	if err := json.Unmarshal([]byte(listed), &keys); err != nil || len(keys) != 2 || keys[0].State != signingkeys.Next || keys[1].Kid != "k1" {
		t.Fatalf("after the rotation: %v in %s", err, listed)
	}
	// One request after the other, so that each function has the one process that it had before.
	eventually(t, "the new key signs everywhere", func() bool {
		during, registered := s.login(), s.register()
		renewed, old := s.refresh(during.RefreshToken), s.refresh(before.RefreshToken)
		signed := true
		for _, text := range []string{during.Token, registered.Token, renewed, old} {
			s.good(text)
			signed = signed && kid(t, text) == keys[0].Kid
		}
		s.good(before.Token)
		return signed
	})
	after := s.login()
	s.mustBeSignedWith(keys[0].Kid, after.Token, after.RefreshToken, s.refresh(after.RefreshToken), s.refresh(before.RefreshToken))
	if said := ranchctl(1, "keys", "retire", "k1"); !strings.Contains(said, "tokens of the key k1 may be live: it can be retired from ") {
		t.Errorf("retiring a key that is live says %q", said)
	}

	checkReplace(t, signingkeys.NewSecret(secretsManager(), stack.SecretName))
	breakSecret(t)
	eventually(t, "processes say that they keep their keys", func() bool {
		s.good(s.refresh(before.RefreshToken))
		return out.shows(`ERR signing keys error=`)() && out.shows(`going_by="the keys in memory" signing_keys=unparsable`)()
	})
	eventually(t, "new processes say that they start with the previous version", func() bool {
		var atOnce sync.WaitGroup
		for range 3 {
			atOnce.Go(func() { s.good(s.login().Token) })
		}
		atOnce.Wait()
		return out.shows(`going_by="the previous version" signing_keys=unparsable`)()
	})
	s.good(before.Token)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// startMotoWithAnEngine starts a LocalStack of moto's Secrets Manager and the embedded engine: moto's own DynamoDB
// takes a repeated transaction for another one, and on a busy machine transactions are repeated.
func startMotoWithAnEngine(t *testing.T) {
	t.Helper()
	startMoto(t)
	forward := func(endpoint string) http.Handler {
		at, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		return loopback.Forward(at)
	}
	secrets, tables := forward(engine.LocalStackEndpoint()), forward(startEngine(t, engine.Options{}).Endpoint())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.") {
			secrets.ServeHTTP(w, r)
			return
		}
		tables.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
}

// checkReplace has two operators change one version of the secret.
func checkReplace(t *testing.T, s signingkeys.Secret) {
	t.Helper()
	read, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := game.InstantOf(read.Written.Time()).Add(token.Lead)
	for i, want := range []error{nil, signingkeys.ErrChanged} {
		next, _, err := read.Rotate(signingkeys.NewKey(), now.Add(token.Lead), token.Lead)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Replace(t.Context(), read, next); !errors.Is(err, want) {
			t.Errorf("operator %d: %v, want %v", i, err, want)
		}
	}
	if written, err := s.Version(t.Context()); err != nil || len(written.Keys) != len(read.Keys)+1 {
		t.Errorf("afterwards there are %d keys, %v", len(written.Keys), err)
	}
}

// breakSecret makes rubbish the current version: in two steps, since after a label was moved moto's PutSecretValue has
// two current versions.
func breakSecret(t *testing.T) {
	t.Helper()
	client := secretsManager()
	current, err := signingkeys.NewSecret(client, stack.SecretName).Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put, err := client.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{
		SecretId: aws.String(stack.SecretName), SecretString: aws.String("rubbish"), VersionStages: []string{"BROKEN"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateSecretVersionStage(t.Context(), &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: aws.String(stack.SecretName), VersionStage: aws.String("AWSCURRENT"), RemoveFromVersionId: &current.ID, MoveToVersionId: put.VersionId,
	}); err != nil {
		t.Fatal(err)
	}
}

// editTemplate replaces what must be in the tree's template.
func editTemplate(t *testing.T, root, old, replacement string) {
	t.Helper()
	file := filepath.Join(root, samtemplate.FileName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("the template has no %q", old)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(old), []byte(replacement)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// buildRanchctl returns the operators' tool, which finds the stack that runs in the current folder. It must end with
// the exit code, and returns what it prints, or why it fails.
func buildRanchctl(t *testing.T) func(exit int, args ...string) string {
	t.Helper()
	program := buildProgram(t, "./infra/ranchctl")
	return func(exit int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "SIGNING_KEYS_SECRET=", "TABLE_NAME=")
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
			t.Fatalf("ranchctl %q: %v: %s%s", args, err, &out, &errs)
		}
		if exit != 0 {
			return errs.String()
		}
		return out.String()
	}
}

// sessions plays players' clients. Its methods fail the test where an answer is another one than for a session that is
// live.
type sessions struct {
	t     *testing.T
	api   string
	email string // of the player who registered last, and logs in
}

const aPassword = "correct horse"

func (s *sessions) register() client.Tokens {
	s.t.Helper()
	name := strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
	s.email = name + "@example.com"
	return s.opened(201, "/auth/register", client.Registration{Email: s.email, Username: name, Password: aPassword, RanchName: "Sunny Acres"})
}

func (s *sessions) login() client.Tokens {
	s.t.Helper()
	return s.opened(200, "/auth/login", map[string]string{"email": s.email, "password": aPassword})
}

func (s *sessions) opened(status int, path string, body any) (tokens client.Tokens) {
	s.t.Helper()
	s.must(status, "POST", path, "", body, &tokens)
	return tokens
}

// refresh returns a new access token.
func (s *sessions) refresh(presented string) string {
	s.t.Helper()
	return s.opened(200, "/auth/refresh", map[string]string{"refreshToken": presented}).Token
}

// good checks that every function which asks for an access token takes this one.
func (s *sessions) good(access string) {
	s.t.Helper()
	promised, err := contract.LoadRoot()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range promised.Operations() {
		if !o.Protected {
			continue
		}
		path, status := o.At(string(game.NewID())), http.StatusOK
		if path != o.Path { // there is no such show
			status = http.StatusNotFound
		}
		s.must(status, o.Method, path, access, map[string]string{"animalId": string(game.NewID())}, nil)
	}
}

func (s *sessions) mustBeSignedWith(want string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if got := kid(s.t, text); got != want {
			s.t.Errorf("a token is signed with %v, want %s", got, want)
		}
	}
}

func kid(t testing.TB, text string) any {
	t.Helper()
	return tokentest.Parse(t, text).Header["kid"]
}

// must sends a request, once, and decodes the answer, which must have the status, into v.
func (s *sessions) must(status int, method, path, access string, body, v any) {
	s.t.Helper()
	transport := client.Transport{API: s.api}
	answer, err := transport.Send(s.t.Context(), client.Request{Method: method, Path: path, Token: access, Body: body})
	if err == nil {
		err = answer.Read(status, v)
	}
	if err != nil {
		s.t.Errorf("%s %s: %d, want %d: %v", method, path, answer.Status, status, err)
	}
}
