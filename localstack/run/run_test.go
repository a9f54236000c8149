package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// A service that cannot start returns the reason and leaves nothing running. It checks its ports before other work.
func TestRun_cannotStart(t *testing.T) {
	for name, c := range map[string]struct {
		makefile      string
		taken         bool
		wants, prints string
	}{
		"port in use":  {"functions:\n\techo BUILT\n", true, "is in use: end the program that listens there, or choose another port with PORT=", ""},
		"failed build": {"functions:\n\t@echo does not compile; exit 1\n", false, "make functions: ", "does not compile"},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, c.makefile)
			cfg := usual(t)
			if c.taken {
				busy := httptest.NewServer(http.NotFoundHandler())
				defer busy.Close()
				cfg.port = busy.Listener.Addr().(*net.TCPAddr).Port
			}
			var out screen
			err := run(t.Context(), cfg, &out, newConsole(&out, false))
			assert.True(t, err != nil && strings.Contains(err.Error(), c.wants) && (!c.taken || out.String() == "") && out.shows(c.prints)(),
				"the error is %v, after the output %q", err, &out)
			if !c.taken {
				checkGone(t, cfg)
			}
		})
	}
}

// TestProgram tests a signal, arguments and the exit status of the process. (accept/blackbox plays the game on the real
// functions, and ends its stacks by the other signals.)
func TestProgram(t *testing.T) {
	program := buildProgram(t, "./localstack/run")
	root := tree(t, buildNothing).Root
	cfg := usual(t)
	require.NoError(t, os.Mkdir("below", 0o700))
	start := func(variable string, arguments ...string) (*exec.Cmd, *screen) {
		t.Helper()
		out := &screen{}
		cmd := exec.CommandContext(t.Context(), program, arguments...)
		cmd.Dir = "below"
		cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", cfg.port), fmt.Sprintf("PLAY_PORT=%d", cfg.playPort), fmt.Sprintf("DB_PORT=%d", cfg.dbPort), "DATA_DIR=", variable)
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		return cmd, out
	}
	cmd, out := start("SEED=none")
	processtest.Eventually(t, "the stack is ready", out.shows("\nReady: "))
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	err := cmd.Wait()
	welcome := fmt.Sprintf("\nGame:     http://127.0.0.1:%d\nContract: http://127.0.0.1:%[1]d/reference/\nAPI:      http://127.0.0.1:%d\nDynamoDB: http://127.0.0.1:%d (table ranch)\n\n"+
		"In a second terminal, `make tour`", cfg.playPort, cfg.port, cfg.dbPort)
	assert.True(t, err == nil && out.shows(welcome)() && strings.HasSuffix(out.String(), "\nStopping\n"),
		"after SIGHUP it ends with %v:\n%s\nwithout %s", err, out, welcome)
	checkGone(t, cfg)
	kept, err := os.ReadDir(filepath.Join(root, usualDataDir))
	assert.True(t, err == nil && len(kept) != 0, "the data is not in the root of the working tree: %v", err)
	for _, c := range []struct{ variable, argument, want string }{
		{"SEED=maybe", "", "SEED=maybe: it must be demo or none"},
		{"SEED=none", "init", "init: it needs ENGINE=localstack"},
		{"ENGINE=localstack", "play", "play: the command must be init, event FUNCTION, or none"},
	} {
		cmd, out := start(c.variable, strings.Fields(c.argument)...)
		err := cmd.Wait()
		exit := (*exec.ExitError)(nil)
		assert.True(t, errors.As(err, &exit) && exit.ExitCode() == 1 && out.String() == "ranch-local: "+c.want+"\n",
			"%s %s: %v with the output %q, not %q", c.variable, c.argument, err, out, c.want)
	}
}
