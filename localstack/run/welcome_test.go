package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
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
	text := welcome("http://127.0.0.1:3000", "http://127.0.0.1:8000")
	for _, want := range []string{"\nAPI:      http://127.0.0.1:3000\n", "http://127.0.0.1:8000", "`make tour`"} {
		if !strings.Contains(text, want) {
			t.Errorf("the welcome does not say %q:\n%s", want, text)
		}
	}
	if !strings.HasSuffix(text, "\nReady: http://127.0.0.1:3000\n") {
		t.Errorf("the welcome is:\n%s", text)
	}
}
