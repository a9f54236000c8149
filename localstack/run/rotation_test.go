package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// TestRun_keysAreRotated rotates the keys under live sessions. The functions' processes go on, and no session ends. The
// functions keep keys for a second instead of five minutes, and the new key signs after 3 seconds instead of 10
// minutes. If the secret becomes unreadable, the functions keep their keys.
func TestRun_keysAreRotated(t *testing.T) {
	secrets := startLocalStack(t)
	cfg := usual(t)
	cfg.engine = engine.LocalStack
	ranchctl := buildProgram(t, "./infra/ranchctl")
	template := filepath.Join(treeOfPrograms(t).Root, samtemplate.FileName)
	text, err := os.ReadFile(template)
	require.NoError(t, err)
	const variable = "        TABLE_NAME: " // of every function
	write(t, 0o600, template, strings.ReplaceAll(string(text), variable, "        KEYS_MAX_AGE: 1s\n"+variable))
	out, _ := runInBackground(t, cfg)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the stack:\n%s", out)
		}
	})
	processtest.Eventually(t, "the stack is ready", out.shows("\nReady: "))
	api := fmt.Sprintf("http://127.0.0.1:%d", cfg.port)

	before := register(t, api)
	mustBeSignedWith(t, "k1", before.Tokens.Token, before.Tokens.RefreshToken, another(t, before).Tokens.Token, refreshed(t, before))
	good(t, api, before.Tokens.Token)

	listed, _ := runProgram(t, 0, ranchctl, "keys", "rotate", "--signs-in", "3s", "-o", "json")
	var keys []signingkeys.Key
	err = json.Unmarshal([]byte(listed), &keys)
	require.True(t, err == nil && len(keys) == 2 && keys[0].State == signingkeys.Next && keys[1].Kid == "k1",
		"after the rotation: %v in %s", err, listed)
	// Requests one after the other, so that each function keeps its one process.
	processtest.Eventually(t, "the new key signs everywhere", func() bool {
		during, registered := another(t, before), register(t, api)
		signed := true
		for _, text := range []string{during.Tokens.Token, registered.Tokens.Token, refreshed(t, during), refreshed(t, before)} {
			good(t, api, text)
			signed = signed && kid(t, text) == keys[0].Kid
		}
		good(t, api, before.Tokens.Token)
		return signed
	})
	after := another(t, before)
	mustBeSignedWith(t, keys[0].Kid, after.Tokens.Token, after.Tokens.RefreshToken, refreshed(t, after), refreshed(t, before))
	_, refusal := runProgram(t, 1, ranchctl, "keys", "retire", "k1")
	assert.Contains(t, refusal, "the key k1 cannot be retired yet, because tokens that it has signed may be valid: retire it after ",
		"retiring a key that is live: %q", refusal)

	secrets.Put("rubbish")
	processtest.Eventually(t, "processes say that they keep their keys", func() bool {
		good(t, api, refreshed(t, before))
		return out.shows(`going_by="the keys in memory" signing_keys=unparsable`)()
	})
	good(t, api, before.Tokens.Token)
}

// runProgram runs a program and returns its output. The test fails unless the program exits with the code exit.
func runProgram(t *testing.T, exit int, program string, args ...string) (out, errs string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "SIGNING_KEYS_SECRET=", "TABLE_NAME=")
	var printed, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &complaint
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		t.Fatalf("%s %q: %v: %s%s", filepath.Base(program), args, err, &printed, &complaint)
	}
	return printed.String(), complaint.String()
}

// good checks that every operation that needs an access token accepts this one.
func good(t *testing.T, api, access string) {
	t.Helper()
	promised, err := contract.LoadRoot()
	require.NoError(t, err)
	for _, o := range promised.Operations() {
		if !o.Protected {
			continue
		}
		path, status := o.At(string(game.NewID())), http.StatusOK
		if path != o.Path { // the show does not exist
			status = http.StatusNotFound
		}
		p := player.Player{API: api, Tokens: client.Tokens{Token: access}}
		assert.NoError(t, p.Call(t.Context(), o.Method, path, map[string]string{"animalId": string(game.NewID())}, status, nil))
	}
}

func mustBeSignedWith(t *testing.T, want string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		got := kid(t, text)
		assert.True(t, got == want, "a token is signed with %v, want %s", got, want)
	}
}

func kid(t testing.TB, text string) any {
	t.Helper()
	return tokentest.Parse(t, text).Header["kid"]
}
