package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
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
	program := buildProgram(t, "./infra/ranchctl")
	template := filepath.Join(treeOfPrograms(t).Root, samtemplate.FileName)
	text, err := os.ReadFile(template)
	require.NoError(t, err)
	const variable = "        TABLE_NAME: " // of every function
	write(t, 0o600, template, strings.ReplaceAll(string(text), variable, "        KEYS_MAX_AGE: 1s\n"+variable))
	s, out := openStack(t, cfg)
	ranchctl := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "SIGNING_KEYS_SECRET=", "TABLE_NAME=")
		return cmd.Output()
	}
	p, err := player.Register(t.Context(), s.served.API, newName())
	require.NoError(t, err)
	signers := signersOf(t, *p)
	assert.Equal(t, []string{"k1"}, signers)

	listed, err := ranchctl("keys", "rotate", "--signs-in", "3s", "-o", "json")
	require.NoError(t, err)
	var keys []signingkeys.Key
	err = json.Unmarshal(listed, &keys)
	require.True(t, err == nil && len(keys) == 2 && keys[0].State == signingkeys.Next && keys[1].Kid == "k1",
		"after the rotation: %v in %s", err, listed)
	processtest.Eventually(t, "the new key signs everywhere", func() bool { return slices.Equal(signersOf(t, *p), []string{keys[0].Kid}) })
	_, err = ranchctl("keys", "retire", "k1")
	refusal := (*exec.ExitError)(nil)
	require.ErrorAs(t, err, &refusal)
	assert.Contains(t, string(refusal.Stderr), "the key k1 cannot be retired yet, because tokens that it has signed may be valid: retire it after ")

	secrets.Put("rubbish")
	processtest.Eventually(t, "processes say that they keep their keys", func() bool {
		return slices.Equal(signersOf(t, *p), []string{keys[0].Kid}) && out.shows(`going_by="the keys in memory" signing_keys=unparsable`)()
	})
}

func newName() string { return fmt.Sprintf("rider%d", time.Now().UnixNano()) }

// signersOf logs the player in again, registers another player, and refreshes the sessions. It returns the ids of the
// keys that have signed the new tokens. Every operation that needs an access token must accept the player's and the new
// ones. It sends one request after the other, so that each function keeps its one process.
func signersOf(t *testing.T, p player.Player) (ids []string) {
	t.Helper()
	promised, err := contract.LoadRoot()
	require.NoError(t, err)
	again, renewed := p, p
	other, err := player.Register(t.Context(), p.API, newName())
	require.NoError(t, errors.Join(err, again.Login(t.Context()), renewed.Refresh(t.Context(), http.StatusOK)))
	renewedAgain := again
	require.NoError(t, renewedAgain.Refresh(t.Context(), http.StatusOK))
	for _, session := range []player.Player{p, again, renewed, renewedAgain, *other} {
		for _, o := range promised.Operations() {
			if !o.Protected {
				continue
			}
			path, status := o.At(string(game.NewID())), http.StatusOK
			switch {
			case path != o.Path: // the show does not exist
				status = http.StatusNotFound
			case o.Method == http.MethodPut: // the body is of an entry
				status = http.StatusBadRequest
			case o.Method == http.MethodDelete: // the body has no password
				status = http.StatusForbidden
			}
			assert.NoError(t, session.Call(t.Context(), o.Method, path, map[string]string{"animalId": string(game.NewID())}, status, nil))
		}
		if session.Tokens.Token != p.Tokens.Token {
			ids = append(ids, tokentest.Parse(t, session.Tokens.Token).Header["kid"].(string))
		}
	}
	for _, refresh := range []string{again.Tokens.RefreshToken, other.Tokens.RefreshToken} {
		ids = append(ids, tokentest.Parse(t, refresh).Header["kid"].(string))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
