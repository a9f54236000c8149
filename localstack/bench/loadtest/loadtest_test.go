package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestScenes plays very small forms of the scenes through the real programs. It checks the outcomes of calls, but never
// their times. The programs are built in a folder of their own, so that they do not disturb the developer's `make run`.
func TestScenes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	programs := t.TempDir()
	folder := "FUNCTIONS_DIR=" + filepath.Join(programs, ".build", "functions")
	require.NoError(t, build.Make(t.Context(), template.Root, os.Stderr, "functions", folder))
	template.Root = programs
	b := &bench{template: template, tell: t.Logf}
	for name, play := range map[string]func(t *testing.T){
		"judging": func(t *testing.T) {
			j, err := b.judgeBeside(t.Context(), 1, 60, 1)
			assert.True(t, err == nil && j.small() && j.judging.Read >= 60/12 && j.readers.statuses[http.StatusOK] > 0 &&
				j.reading.Read >= 1, "%+v, %v", j, err)
		},
		"views": func(t *testing.T) {
			v, err := b.view(t.Context(), 100, 10, 2)
			assert.True(t, err == nil && v.served() && len(v.refused.took) > 0 && v.undisturbed(), "%+v, %v", v, err)
		},
		"arrivals": func(t *testing.T) {
			a, err := b.arrive(t.Context(), 4, 10, 2)
			assert.True(t, err == nil && a.answers.all(http.StatusCreated) && a.attempts >= 1 && a.written >= 2,
				"%+v, %v", a, err)
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); play(t) })
	}
}

// TestOpenLoop checks that a slow call does not delay others.
func TestOpenLoop(t *testing.T) {
	t.Parallel()
	const calls = 50
	var under atomic.Int64
	all := make(chan struct{})
	got, err := openLoop(t.Context(), calls, 5_000, func(context.Context, int) (answer, error) {
		if n := under.Add(1); n == calls {
			close(all)
		}
		<-all // until all have arrived
		return answer{status: http.StatusOK}, nil
	})
	assert.True(t, err == nil && len(got.took) == calls && got.all(http.StatusOK), "%s, %v", got, err)
}
