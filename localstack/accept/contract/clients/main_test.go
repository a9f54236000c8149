package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../../../../"

// The clients' generated sources match the contract.
func TestSourcesAreCurrent(t *testing.T) {
	t.Parallel()
	a, err := load(root + contractFile)
	if err != nil {
		t.Fatal(err)
	}
	for file := range sources {
		want, err := a.source(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.FromSlash(root + file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s differs from what the contract says: go run ./localstack/accept/contract/clients writes it (-is +ought to be):\n%s", file, diff)
		}
	}
}
