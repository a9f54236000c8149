package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../../../"

// TestSourcesAreCurrent checks that the clients' generated sources match the contract.
func TestSourcesAreCurrent(t *testing.T) {
	t.Parallel()
	a, err := load(root + contractFile)
	require.NoError(t, err)
	for file := range sources {
		want, err := a.source(file)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.FromSlash(root + file))
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff(string(got), string(want)),
			"%s differs from what the contract says: go run ./localstack/accept/contract/clients writes it (-is +ought to be)", file)
	}
}
