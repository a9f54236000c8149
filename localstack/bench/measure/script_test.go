package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestScript plays a small form of the script, and checks that the script has calls of every endpoint.
func TestScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := world.Open(t.Context(), world.Config{Folder: dir, Processes: 1})
	require.NoError(t, err)
	all, err := observe(t.Context(), w, filepath.Join(dir, ".build", "functions"), amounts{players: 4, shows: 2, repeated: 20})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	for _, f := range template.Endpoints() {
		called := false
		for _, one := range all {
			called = called || strings.EqualFold(one.program, f.LogicalID) && one.fastest > 0
		}
		assert.True(t, called, "no scene of script.go calls %s", f.LogicalID)
	}
}
