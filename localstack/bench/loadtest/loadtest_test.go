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
	"github.com/ranch-game/ranch/shared/client"
)

// TestScenes plays very small forms of the scenes through the real programs. It checks the outcomes of calls, but never
// their times. The programs are built in a folder of their own, so that they do not disturb the developer's `make run`.
func TestScenes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	programs := t.TempDir()
	require.NoError(t, build.Make(t.Context(), template.Root, os.Stderr, os.Environ(), "functions", "FUNCTIONS_DIR="+filepath.Join(programs, ".build", "functions")))
	template.Root = programs
	b := &bench{template: template, tell: t.Logf}
	for name, play := range map[string]func(t *testing.T){
		"arrivals": func(t *testing.T) {
			a, err := b.arrive(t.Context(), 4, 40, 2)
			assert.True(t, err == nil && a.answers.count(entered) == 20 && a.wrong == 0 && a.attempts >= 1 && a.written >= 2,
				"%+v, %v: %s", a, err, a.answers)
		},
		"judges beside readers": func(t *testing.T) {
			j, err := b.judgeAmong(t.Context(), 1, crowd{entries: 60, judges: 2, readers: 1})
			assert.True(t, err == nil && j.judges.String() == "1 × 200, 1 × 404" && j.whole(60) && j.readers.count(http.StatusOK) >= 1 && j.judging.Read >= 60.0/12 && j.reading.Read >= 1,
				"%+v, %v", j, err)
		},
		"views that the table throttles": func(t *testing.T) {
			v, err := b.view(t.Context(), 100, 10, 2)
			assert.True(t, err == nil && v.served() && v.failed.count(http.StatusServiceUnavailable) != 0 && v.undisturbed(),
				"%+v, %v", v, err)
		},
		"behind a lease": func(t *testing.T) {
			found, err := b.behindALease(t.Context(), 20, 2_000, 5) // the fewest that take a lease at the beginning
			assert.True(t, err == nil && found.goals[0].reached, "%+v, %v", found, err)
		},
		"a large judging": func(t *testing.T) {
			found, err := b.judgeLarge(t.Context(), 1, 1_000)
			assert.True(t, err == nil && found.goals[1].reached, "%+v, %v", found, err)
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
		return answer{Answer: client.Answer{Status: 200}}, nil
	})
	assert.True(t, err == nil && got.count(200) == calls && len(got.late) == calls, "%s, %v", got, err)
}
