package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/infra/running"
)

// playTour plays the tour, as `make tour` does, and returns what it prints.
func playTour(t *testing.T, program, api string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "API="+api)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

func TestWelcome(t *testing.T) {
	stack := running.Stack{API: "http://127.0.0.1:3000", Endpoint: "http://127.0.0.1:8000", Table: "ranch", Play: "http://127.0.0.1:3001"}
	text := welcome(stack)
	for _, want := range []string{"\nAPI:      http://127.0.0.1:3000\n", "http://127.0.0.1:8000 (table ranch)", "http://127.0.0.1:3001/reference/", "`make tour`"} {
		if !strings.Contains(text, want) {
			t.Errorf("the welcome does not say %q:\n%s", want, text)
		}
	}
	if !strings.HasPrefix(text, "\nGame:     http://127.0.0.1:3001\n") {
		t.Errorf("the game does not come first:\n%s", text)
	}
	if stack.Play = ""; strings.Contains(welcome(stack), "Game:") {
		t.Errorf("without a page the welcome is:\n%s", welcome(stack))
	}
	if !strings.HasSuffix(text, "\nReady: http://127.0.0.1:3000\n") {
		t.Errorf("the welcome is:\n%s", text)
	}
}
