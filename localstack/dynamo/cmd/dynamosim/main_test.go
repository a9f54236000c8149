package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// It prints its addresses, and ends with its context.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-listen", "127.0.0.1:0", "-control", "127.0.0.1:0", "-capacity", "fresh", "-seed", "7"}, writer)
		writer.Close()
	}()
	lines, said := bufio.NewScanner(reader), map[string]string{}
	for range 2 {
		lines.Scan()
		name, address, _ := strings.Cut(lines.Text(), ": ")
		said[name] = address
	}
	answer, err := http.Get(said["control"])
	if err != nil {
		t.Fatal(said, err)
	}
	status, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(status), `"seed": 7`) || !strings.Contains(string(status), `"capacity"`) || said["clients"] == "" {
		t.Errorf("%v: %s, %v", said, status, err)
	}
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRun_refusals(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-faults", "none"}, {"-capacity", "stale"}, {"-engine", "here"}, {"more"}, {"-unknown"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
