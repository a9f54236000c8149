package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The copy covers the modules of go.mod, and has no other reports.
func TestPartIsCurrent(t *testing.T) {
	t.Chdir("../..")
	modules, err := modules()
	require.NoError(t, err)
	assert.NoError(t, check(modules))
	files, err := filepath.Glob(reports + "/*.json")
	require.True(t, err == nil && len(files) != 0, "no reports: %v", err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		var r report
		assert.True(t, err == nil && json.Unmarshal(text, &r) == nil && r.concerns(modules),
			"%s concerns no module in go.mod: run make vulndb (%v)", file, err)
	}
}

func TestConcerns(t *testing.T) {
	modules := map[string]string{"example.com/a": "v1.5.0", standard: "v1.26.0"}
	for name, c := range map[string]struct {
		report string
		want   bool
	}{
		"another module":     {`{"affected":[{"package":{"name":"example.com/b"},"ranges":[{"events":[{"introduced":"0"}]}]}]}`, false},
		"never fixed":        {`{"affected":[{"package":{"name":"example.com/a"},"ranges":[{"events":[{"introduced":"0"}]}]}]}`, true},
		"fixed before":       {`{"affected":[{"package":{"name":"example.com/a"},"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.5.0"}]}]}]}`, false},
		"fixed later":        {`{"affected":[{"package":{"name":"example.com/a"},"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.5.1"}]}]}]}`, true},
		"comes back":         {`{"affected":[{"package":{"name":"stdlib"},"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.25.1"},{"introduced":"1.26.0-0"},{"fixed":"1.26.2"}]}]}]}`, true},
		"one of two modules": {`{"affected":[{"package":{"name":"example.com/b"}},{"package":{"name":"example.com/a"},"ranges":[{"events":[{"introduced":"1.6.0"}]}]}]}`, true},
	} {
		var r report
		err := json.Unmarshal([]byte(c.report), &r)
		assert.True(t, err == nil && r.concerns(modules) == c.want, "%s: want %t (%v)", name, c.want, err)
	}
}

func TestMissing(t *testing.T) {
	c := cover{Modules: map[string]string{"a": "v1.5.0", "b": "v1.0.0"}}
	got := c.missing(map[string]string{"a": "v1.4.9", "b": "v1.0.1", "c": "v0.1.0"})
	want := []string{"a v1.4.9", "c v0.1.0"}
	assert.True(t, slices.Equal(got, want), "%v, want %v", got, want)
}
