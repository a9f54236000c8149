package gateway

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// wantBuild checks which build has answered.
func (a answer) wantBuild(t *testing.T, want string) instance {
	t.Helper()
	i := a.instance(t)
	assert.Equal(t, want, i.Build, "process %d is of the %s build, want the %s", i.PID, i.Build, want)
	return i
}

// TestReload replaces a program as `go build` does. The next request gets the new program, after the program is
// complete. A busy process finishes its request, and the processes of the old program end. If a build changes nothing,
// the processes go on.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bootstrap")
	first, err1 := os.ReadFile(binary)
	err2 := build(path, "second")
	second, err3 := os.ReadFile(path)
	require.NoError(t, errors.Join(err1, err2, err3, os.Remove(path), os.WriteFile(path, first, 0o700)))
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, f *FunctionConfig) { cfg.replacementTime, f.Binary = patience, path })
	one, other := s.doing("wait", barrier.url), s.doing("wait", barrier.url)
	barrier.wait(t, 2)
	require.NoError(t, errors.Join(os.Remove(path), os.WriteFile(path, second[:100], 0o700)))
	asking := s.doing("instance", "")
	select {
	case a := <-asking:
		t.Fatalf("%d %s before the program is there", a.status, a.body)
	case <-time.After(5 * startPause):
	}
	require.NoError(t, os.WriteFile(path, second, 0o700))
	now := (<-asking).wantBuild(t, "second")
	barrier.release()
	old := []instance{(<-one).wantBuild(t, "first"), (<-other).wantBuild(t, "first")}
	require.NoError(t, build(path, "second"))
	assert.Equal(t, now.PID, s.ask().PID, "another process without a change")
	for _, i := range old {
		processtest.Eventually(t, "the old process has ended", func() bool { return !processtest.Alive(i.PID) })
	}
	s.logs.want(t, 1, "gateway: the program has changed: restarting it")
}
